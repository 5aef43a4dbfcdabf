import Foundation
import PureWebP

extension WebP {
  /// Decodes into the storage of `Data`, without a copy of the pixels.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
  ///   - pixels: At least `options.layout(for:stride:).byteCount` bytes. Bytes between the rows do not change. After an
  ///     error, the finished rows are available (`DecodeError.finishedRows`).
  ///   - stride: The distance between rows in bytes; nil: rows without gaps.
  ///   - options: The decoding options.
  /// - Returns: The positions of the planes and rows in `pixels`.
  /// - Throws: If the bytes are corrupt, a limit is exceeded, or `pixels` is too small.
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>, into pixels: inout Data, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    var span = pixels.mutableSpan
    return try decode(bytes, into: &span, stride: stride, options: options)
  }
}
