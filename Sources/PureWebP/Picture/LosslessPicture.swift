/// A VP8L picture on its way to Output.
struct LosslessPicture {
  private let header: LosslessHeader
  private let start: Int
  /// Of the stream's chunk.
  private let end: Int
  private let threads: WebP.Threads
  /// Nil until the prefix codes have come.
  private var pipeline: LosslessPipeline?
  /// How many bytes have to be there before the stream's header is looked for the next time: at first an eighth of the
  /// stream, as libwebp waits for, and a quarter more each time, or all of it, so that a header that is long in coming
  /// costs no more than a few readings.
  private var headerAttempt: Int

  init(_ header: LosslessHeader, _ headers: StillHeaders, _ threads: WebP.Threads) {
    self.header = header
    self.threads = threads
    start = headers.streamOffset + LosslessHeader.byteCount
    end = headers.streamEnd
    headerAttempt = headers.streamOffset + Int(clamping: headers.streamSize / 8)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    if pipeline == nil {
      guard isComplete || bytes.count >= headerAttempt else { return }
      try readHeader(bytes, isComplete: isComplete)
      headerAttempt = bytes.count + bytes.count / 4
      if bytes.count < end { headerAttempt = min(headerAttempt, end) }
    }
    try pipeline?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
  }

  private mutating func readHeader(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) {
    let stream = LosslessStream(start: start, end: nil, isAlpha: false)
    // A batch has eight bytes for a pixel, and is as fast with few of them.
    let share = threads.share(
      width: header.width, height: header.height, rowsTogether: ParsedRows.together, part: 4)
    let decoder = try LosslessDecoder(
      stream, width: header.width, height: header.height, rowsHeld: share.rows, bytes, isComplete: isComplete)
    if let decoder {
      pipeline = LosslessPipeline(
        decoder, bitCount: 8 * Int64(end - start), share.threads, rowsAtOnce: share.rows)
    }
  }
}
