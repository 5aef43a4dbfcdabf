/// Decodes one still image: all rows that the available bytes allow. A class, so that it is not moved to its owner.
///
///     ImageHeaderParser ──▶ init ──▶ decodeRows, again and again ──▶ isFinished
final class PictureDecoder {
  private(set) var output: OutputWriter
  private var lossy: LossyPicture?
  private var lossless: LosslessPicture?

  /// Takes no memory yet for pixels.
  ///
  /// - Parameters:
  ///   - headers: after a finished walk.
  @inline(never)
  init(_ headers: ImageHeaderParser) {
    output = OutputWriter(width: headers.width, height: headers.height)
    switch headers.stream {
    case .vp8(let tag): lossy = LossyPicture(tag, headers)
    case .vp8L(let header): lossless = LosslessPicture(header, headers)
    case nil: break
    }
  }

  var isFinished: Bool { output.isFinished }

  /// The largest number of rows that `decodeRows` finishes after `beginRows`: a row of macroblocks, the eight rows that the
  /// loop filter of the row above deferred, and one that upsampling deferred.
  static let mostRowsTogether = 16 + 8 + 1

  /// Lets `decodeRows` return after each group of rows, and write them to the beginning of `pixels`.
  ///
  /// - Returns: the first row of the group.
  func beginRows() -> Int { output.beginRows() }

  /// Decodes as many rows as the bytes allow.
  ///
  /// - Parameters:
  ///   - isComplete: that no more bytes will come: an end too early is an error then.
  ///   - pixels: four bytes for each, rows without gaps, the same in each call.
  @inline(never)
  func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, into pixels: inout ContiguousArray<UInt8>
  ) throws(WebP.DecodeError) {
    var pixels = pixels.mutableSpan
    try lossy?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
    try lossless?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
  }
}
