// Composition of frames on a canvas (RFC 9649, section 2.7.2), with libwebp's arithmetic.
//
//     not blended        bytes ─▶ ImageDecoder ────────────────────────────────▶ rectangle of the canvas
//     blended            bytes ─▶ ImageDecoder ─▶ layer, some rows ─▶ drawRow ──▶ rectangle of the canvas
//     prefetched         bytes ─▶ FramePrefetcher ─▶ pixels ─▶ copied or blended ─▶ rectangle of the canvas
//
// The rectangle of a disposed frame is cleared when the next frame starts, unless that frame covers it. Composition can
// begin at any key frame, because the canvas is then either transparent or covered completely by the frame.

internal import WebPFormat

/// A canvas, and the frame that is being drawn on it.
final class FrameComposer {
  /// Four bytes per pixel, rows without gaps. Empty until the first frame is drawn, and incomplete while it is cleared.
  private(set) var canvas: ContiguousArray<UInt8>
  private let byteCount: Int
  let width: Int
  let height: Int
  /// Counts conversions of the canvas to the caller's format and size against the limits.
  var budget: ConversionBudget
  var options: WebP.DecodeOptions
  /// The caller's options for the output of this canvas.
  let outputOptions: WebP.DecodeOptions
  /// The format of the canvas: R G B A or B G R A, premultiplied or not.
  var format: WebP.PixelFormat { options.format }

  /// The decoder of the current frame. Nil between frames.
  private var decoder: Optional<ImageDecoder>
  /// Decoded rows of a frame that must be blended. With one thread, these are only the latest rows. With several
  /// threads, they are all rows of the frame.
  private var layer: ContiguousArray<UInt8>
  /// The last finished frame.
  private var previous: Optional<DemuxedFrame>

  /// Creates a transparent canvas.
  ///
  /// - Parameters:
  ///   - byteCount: the number of bytes of the file that have arrived.
  ///   - options: the caller's options.
  init(
    _ size: WebP.Size, byteCount: Int, options: WebP.DecodeOptions
  ) throws(WebP.DecodeError) {
    guard let layout = WebP.Layout(format: .rgba, width: size.width, height: size.height) else {
      throw WebP.DecodeError(.canvasExceedsPlatform)
    }
    (width, height) = (size.width, size.height)
    (canvas, self.byteCount) = ([], layout.byteCount)
    outputOptions = options.forCanvas(size)
    self.options = options.forFrames(outputOptions.composedFormat, threads: options.threads)
    budget = ConversionBudget(limits: options.limits.plain, byteCount: byteCount)
    (decoder, layer, previous) = (nil, [], nil)
  }

  init(copying other: FrameComposer) {
    canvas = other.canvas
    byteCount = other.byteCount
    width = other.width
    height = other.height
    budget = other.budget
    options = other.options
    outputOptions = other.outputOptions
    decoder = other.decoder
    layer = other.layer
    previous = other.previous
  }

  /// Allocates the canvas before the first frame.
  func reserveCanvas() { canvas.reserveCapacity(byteCount) }

  /// The number of rows of the current frame that are on the canvas.
  var finishedRows: Int { decoder?.output.finishedRows ?? 0 }

  /// Draws a frame as far as its bytes have arrived.
  ///
  /// - Parameters:
  ///   - frame: the same frame in each call until it is finished.
  ///   - number: the index that errors report.
  ///   - bytes: the complete input received so far.
  ///   - isComplete: all bytes of the frame are available.
  ///   - pixelLimit: about the number of pixels after which drawing pauses.
  /// - Returns: whether the frame is finished.
  @discardableResult
  @inline(never)  // several callers
  func draw(
    _ frame: DemuxedFrame, number: Int, _ bytes: Span<UInt8>, isComplete: Bool, pixelLimit: Int = .max
  ) throws(WebP.DecodeError) -> Bool {
    guard canvas.appendZeros(upTo: byteCount, pixelLimit: pixelLimit) else { return false }
    let bytes = bytes.extracting(frame.bytes)
    do {
      if decoder == nil { try start(frame, bytes, isComplete: isComplete) }
      if frame.replacesCanvas {
        let start = 4 * (frame.y * width + frame.x)
        try decoder.unique()?.decodeRows(
          bytes, isComplete: isComplete, into: &canvas, from: start, pixelLimit: pixelLimit)
      } else {
        try drawBlended(frame, bytes, isComplete: isComplete, pixelLimit: pixelLimit)
      }
    } catch {
      throw error.with(frame: number, offset: frame.bytes.lowerBound)
    }
    guard decoder?.isFinished == true else { return false }
    decoder = nil
    previous = frame
    return true
  }

  /// Draws a frame that was decoded elsewhere.
  ///
  /// - Parameter pixels: the complete frame, in the canvas's format, rows without gaps.
  func draw(_ frame: DemuxedFrame, pixels: ContiguousArray<UInt8>) {
    _ = canvas.appendZeros(upTo: byteCount, pixelLimit: .max)
    if let previous, previous.isDisposed, !(frame.replacesCanvas && frame.covers(previous)) { clear(previous) }
    if !frame.replacesCanvas {
      for row in 0..<frame.height { blend(row, of: frame, from: pixels, at: 4 * row * frame.width) }
    } else if frame.width == width, frame.height == height {
      canvas = pixels
    } else {
      for row in 0..<frame.height {
        let start = 4 * ((frame.y + row) * width + frame.x)
        canvas.copy(4 * frame.width, from: pixels.span, at: 4 * row * frame.width, to: start)
      }
    }
    previous = frame
  }

  private func start(
    _ frame: DemuxedFrame, _ bytes: Span<UInt8>, isComplete: Bool
  ) throws(WebP.DecodeError) {
    let stride = frame.replacesCanvas ? 4 * width : nil
    let headers = try WebP.DecodeError.converting(
      try isComplete ? ImageHeaderParser(forDecoding: bytes) : ImageHeaderParser(bytes, need: .headers))
    let stripRows = frame.replacesCanvas || options.threads.count > 1 ? nil : 1
    let decoder = try ImageDecoder(headers, bytes, options: options, stride: stride, stripRows: stripRows)
    // If this frame covers the area completely, clearing is unnecessary, unless the caller can show an incomplete
    // frame.
    if let previous, previous.isDisposed, !(isComplete && frame.replacesCanvas && frame.covers(previous)) {
      clear(previous)
    }
    if !frame.replacesCanvas, layer.count < decoder.output.layout.byteCount {
      layer = ContiguousArray(uninitializedCount: decoder.output.layout.byteCount)
    }
    self.decoder = decoder
  }

  private func clear(_ frame: DemuxedFrame) {
    let (width, rows) = (width, frame.y..<frame.y + frame.height)
    var canvas = canvas.moved()
    defer { self.canvas = canvas }
    var pixels = canvas.mutableSpan
    for row in rows {
      pixels.fill(4 * frame.width, with: 0, at: 4 * (row * width + frame.x))
    }
  }

  private func drawBlended(
    _ frame: DemuxedFrame, _ bytes: Span<UInt8>, isComplete: Bool, pixelLimit: Int
  ) throws(WebP.DecodeError) {
    let layerRows = decoder?.output.layout.planes[0].rows ?? 1
    var rows = 0..<finishedRows
    // The decoder pauses at the limit if the layer has all rows.
    let lastRow = layerRows < frame.height && pixelLimit < .max ? finishedRows + pixelLimit / frame.width : .max
    repeat {
      let end = layerRows < frame.height ? rows.upperBound + 1 : .max
      try decoder.unique()?.decodeRows(
        bytes, isComplete: isComplete, into: &layer, before: end, pixelLimit: pixelLimit)
      rows = rows.upperBound..<finishedRows
      for row in rows { blend(row, of: frame, from: layer, at: row % layerRows * 4 * frame.width) }
    } while !rows.isEmpty && rows.upperBound < min(frame.height, lastRow)
  }

  /// Blends a row of a frame onto the canvas, or copies it: see `DemuxedFrame.copiedColumns`.
  ///
  /// - Parameter start: the offset of the row in `layer`.
  private func blend(
    _ row: Int, of frame: DemuxedFrame, from layer: ContiguousArray<UInt8>, at start: Int
  ) {
    let y = frame.y + row
    let isPremultiplied = format.isPremultiplied
    var canvas = canvas.moved()
    defer { self.canvas = canvas }
    var pixels = canvas.mutableSpan
    drawRow(
      layer.span, at: start, onto: &pixels, at: 4 * (y * width + frame.x), width: frame.width,
      copied: frame.copiedColumns(inRow: y, after: previous), isPremultiplied: isPremultiplied)
  }
}
