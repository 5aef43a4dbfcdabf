import Testing

@testable import WebPExport
