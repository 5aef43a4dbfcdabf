import Foundation
import PureWebP
import Testing
import WebPLoading

/// Proves that programs can distinguish the errors of loads by their kind.
/// Expected values: the kinds that the article Limits and errors assigns.
@Suite struct LoadErrorKindTests {
  @Test(arguments: [
    (URLError.Code.timedOut, WebP.ErrorKind.network), (.notConnectedToInternet, .network),
    (.badServerResponse, .network),
    (.fileDoesNotExist, .network), (.cancelled, .cancelled), (.dataLengthExceedsMaximum, .limitExceeded),
    (.cannotDecodeContentData, .corrupt), (.unsupportedURL, .invalidOptions),
  ]) func codesHaveKinds(code: URLError.Code, kind: WebP.ErrorKind) {
    #expect(WebP.ErrorKind(URLError(code)) == kind)
  }

  @Test func filesThatArriveHaveTheKindOfTheirError() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).webp")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data("GIF89a".utf8).write(to: file)
    let error = #expect(throws: URLError.self) { try WebP.decode(contentsOf: file) }
    #expect(error?.kind == .notWebP && error?.description.contains("a GIF image") == true)
    try FileManager.default.removeItem(at: file)
    let missing = #expect(throws: POSIXError.self) { try WebP.decode(contentsOf: file) }
    #expect(missing?.kind == .network)
  }
}
