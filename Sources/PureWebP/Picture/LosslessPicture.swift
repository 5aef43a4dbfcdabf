/// A VP8L picture on its way to Output.
struct LosslessPicture {
  private var decoder: LosslessDecoder
  private let width: Int
  private let height: Int
  private var hasHeader = false
  /// How many bytes have to be there before the stream's header is looked for the next time: at first an eighth of the
  /// stream, as libwebp waits for, and a quarter more each time, so that a header that is long in coming costs no more
  /// than a few readings.
  private var headerAttempt: Int
  /// How many rows Output has.
  private var rows = 0
  /// Rows in R G B A bytes, where Output does not take them where they belong.
  private var scratch: ContiguousArray<UInt8> = []

  /// Rows are handed on in batches that end at multiples of this, as libwebp does.
  private static let batch = 16

  init(_ header: LosslessHeader, _ headers: StillHeaders) {
    width = header.width
    height = header.height
    let start = headers.streamOffset + LosslessHeader.byteCount
    decoder = LosslessDecoder(width: width, height: height, start: start, end: nil, isAlpha: false)
    headerAttempt = headers.streamOffset + Int(clamping: headers.streamSize / 8)
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    if !hasHeader {
      guard isComplete || bytes.count >= headerAttempt else { return }
      hasHeader = try decoder.readHeader(bytes, isComplete: isComplete)
      headerAttempt = bytes.count + bytes.count / 4
      guard hasHeader else { return }
    }
    while !output.isFinished {
      // Not below the window: what is wrong there stays unseen.
      let next = min(rows + Self.batch, output.window.rows.upperBound)
      guard try decoder.decodeRows(upTo: next, bytes, isComplete: isComplete) >= next else { return }
      write(rows..<next, output: &output, into: &pixels)
      rows = next
    }
  }

  private mutating func write(_ batch: Range<Int>, output: inout Output, into pixels: inout MutableSpan<UInt8>) {
    if let place = output.directRows(from: batch.lowerBound) {
      decoder.transformRows(batch, into: &pixels, offset: place.offset, stride: place.stride)
      output.skip(rows: batch)
      return
    }
    let stride = 4 * width
    if scratch.isEmpty { scratch = .init(repeating: 0, count: Self.batch * stride + YUVRows.slack) }
    decoder.transformRows(batch, into: &scratch, stride: stride)
    output.write(rgba: scratch.span, stride: stride, rows: batch, into: &pixels)
  }
}

extension LosslessDecoder {
  fileprivate mutating func transformRows(_ rows: Range<Int>, into pixels: inout ContiguousArray<UInt8>, stride: Int) {
    var span = pixels.mutableSpan
    transformRows(rows, into: &span, offset: 0, stride: stride)
  }
}
