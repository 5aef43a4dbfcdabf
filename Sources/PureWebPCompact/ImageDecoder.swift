internal import WebPFormat

/// Decodes one still image: all rows for which enough bytes are available. It is a class, so that its owner stores only
/// a reference.
///
///     ImageHeaderParser ──▶ init ──▶ decodeRows, repeatedly ──▶ isFinished
final class ImageDecoder {
  private(set) var output: OutputWriter
  private var lossy: LossyImageDecoder?
  private var lossless: LosslessImageDecoder?

  /// Allocates no memory for pixels.
  ///
  /// - Parameter headers: the headers after a successful `parse`.
  @inline(never)
  init(_ headers: ImageHeaderParser) {
    let size = headers.stream?.size ?? (width: 0, height: 0)
    output = OutputWriter(width: size.width, height: size.height)
    switch headers.stream {
    case .vp8(let tag): lossy = LossyImageDecoder(tag, headers)
    case .vp8L(let header): lossless = LosslessImageDecoder(header, headers)
    case nil: break
    }
  }

  var isFinished: Bool { output.isFinished }

  /// The largest number of rows that `decodeRows` finishes after `beginRows`: a row of macroblocks, the eight rows that
  /// the loop filter of the row above deferred, and one that upsampling deferred.
  static let mostRowsTogether = 16 + 8 + 1

  /// Lets `decodeRows` return after the next group of rows, and write this group to the beginning of `pixels`.
  ///
  /// - Returns: the first row of the group.
  func beginRows() -> Int { output.beginRows() }

  /// Decodes as many rows as the bytes allow.
  ///
  /// - Parameters:
  ///   - isComplete: true if no more bytes will arrive, so that a premature end is an error.
  ///   - pixels: four bytes per pixel, rows without gaps. The same array in each call.
  @inline(never)
  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout ContiguousArray<UInt8>
  ) throws(FormatError) {
    var pixels = pixels.mutableSpan
    try lossy?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
    try lossless?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
  }
}
