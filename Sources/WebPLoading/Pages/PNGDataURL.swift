import Foundation
import PureWebP

/// Makes a data URL of the PNG that a WebP becomes, until the converter's `check` throws: what that throws is told as
/// it is.
final class PNGDataURL {
  /// After so many bytes of a WebP, `check` is asked.
  private static let pieceLength = 1 << 14

  private let converter: WebP.PNGConverter
  private var png = Data()

  init(_ converter: WebP.PNGConverter) {
    self.converter = converter
  }

  /// Takes the next bytes of the WebP.
  func append(_ webP: Data) throws {
    var rest = webP
    while !rest.isEmpty {
      png += try converter.append(rest.prefix(Self.pieceLength))
      rest = rest.dropFirst(Self.pieceLength)
      try converter.check(png.count)
    }
  }

  /// Tells that no more bytes will come.
  func finish() throws -> String {
    do {
      png += try converter.finish()
    } catch .encoding(.output(let error)) {
      throw error
    }
    return "data:image/png;base64," + png.base64EncodedString()
  }
}
