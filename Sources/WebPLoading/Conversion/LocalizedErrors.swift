import Foundation
import PureWebP
import WebPExport

// What `localizedDescription` says: without this, the name of the type and a number.

extension WebP.DecodeError: LocalizedError {
  /// What is wrong, and where in the bytes; in English.
  public var errorDescription: String? { description }
}

extension WebP.ExportError: LocalizedError {
  /// What is wrong; in English.
  public var errorDescription: String? { description }
}

extension WebP.ConversionError: LocalizedError {
  /// What is wrong, and where in the bytes; in English.
  public var errorDescription: String? { description }
}
