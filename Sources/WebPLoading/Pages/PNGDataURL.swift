import Foundation
import PureWebP

/// Converts a WebP to the data URL of a PNG, until the converter's `check` throws.
final class PNGDataURL {
  /// The number of bytes after which `check` is called.
  private static let pieceLength = 1 << 14

  private let converter: WebP.PNGConverter
  private var png = Data()

  init(_ converter: WebP.PNGConverter) {
    self.converter = converter
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

  /// Declares that no bytes follow.
  ///
  /// - Returns: The data URL.
  /// - Throws: The same errors.
  func finish() throws -> String {
    try convert { () throws(WebP.ConversionError) in try converter.finish() }
    return "data:image/png;base64," + png.base64EncodedString()
  }

  private func convert(_ part: () throws(WebP.ConversionError) -> Data) throws {
    do {
      png += try part()
    } catch .encoding(.output(let error)) {
      throw error
    } catch .encoding(.cancelled) {
      throw CancellationError()
    }
  }
}
