import Foundation
import PureWebP
import WebPExport
import WebPLoading

/// Converts a WebP to a PNG for a page. The converter's `check` can stop the conversion by throwing an error.
final class PagePNG {
  /// The maximum number of WebP bytes that are converted between two calls of `check`.
  private static let pieceLength = 1 << 14

  let converter: WebP.PNGConverter
  private var png = Data()

  init(options: WebP.ConversionOptions) {
    converter = WebP.PNGConverter(options: options)
  }

  /// Converts the next bytes of the WebP.
  ///
  /// - Throws: `WebP.ConversionError`, the error of `check`, or `CancellationError`.
  func append(_ webP: Data) throws {
    var rest = webP
    while !rest.isEmpty {
      try convert { () throws(WebP.ConversionError) in try converter.append(rest.prefix(Self.pieceLength)) }
      rest = rest.dropFirst(Self.pieceLength)
      try converter.check(png.count)
    }
  }

  /// Completes the conversion after the last bytes.
  ///
  /// - Returns: the PNG.
  /// - Throws: The same errors as `append`.
  func finish() throws -> Data {
    try convert { () throws(WebP.ConversionError) in try converter.finish() }
    return png
  }

  /// Appends the bytes that `part` returns. Unwraps errors that the converter has wrapped.
  private func convert(_ part: () throws(WebP.ConversionError) -> [UInt8]) throws {
    do {
      png += try part()
    } catch .encoding(.output(let error)) {
      throw error
    } catch .encoding(.cancelled) {
      throw CancellationError()
    }
  }
}

extension Data {
  /// The data URL of these bytes, which are a PNG.
  var pngDataURL: String { "data:image/png;base64," + base64EncodedString() }
}
