// The alpha plane of a lossy image, from its ALPH chunk (RFC 9649, section 2.7.1.2).
//
//     byte 0    see `AlphaHeader`
//     byte 1…   not compressed: alpha, one byte per pixel
//               compressed: a VP8L stream without its header, whose green channel is alpha
//
// Each call decodes a few rows into a window. The window also stores the row above, which the filters need:
//
//     window    ├ row above ┼ rows … ┤
//                           windowStart
//
// If alpha is smoothed, all rows down to the end of the crop are decoded first, because smoothing depends on the levels
// of all rows. Each call then smooths its rows and moves windowStart.

internal import WebPFormat

/// Decodes the rows of an ALPH chunk, from top to bottom.
final class AlphaDecoder: CopiedOnWrite {
  let width: Int
  let height: Int
  /// The rows of the last call, from `windowStart` on, `width` bytes each.
  private(set) var window: ContiguousArray<UInt8>
  private(set) var windowStart: Int

  private let filter: AlphaHeader.Filter
  /// The crop of the image.
  private let crop: CropWindow
  /// Nil if alpha is not smoothed.
  private var smoothing: Optional<AlphaSmoothing.Storage>
  /// The error of a row that was decoded before its turn.
  private var failure: Optional<WebP.DecodeError>
  /// The row whose prediction ignores the row above.
  private var top: Int
  /// The offset of the next row in the input, if alpha is not compressed.
  private var position: Int
  private var lossless: Optional<LosslessDecoder>
  /// A batch of rows of R G B A pixels from the lossless decoder.
  private var pixels: ContiguousArray<UInt8>
  private var rowsDecoded: Int
  /// The offset of the last row in the window.
  private var lastRow: Int

  /// Parses and checks the header of the chunk and the header of its stream.
  ///
  /// - Parameters:
  ///   - payload: the range of the chunk's payload in `bytes`, which must be complete.
  ///   - crop: the crop of the image.
  ///   - smoothing: the strength of smoothing, 0...100. Applies if the encoder has reduced the number of alpha levels.
  init(
    _ bytes: Span<UInt8>, payload: Range<Int>, width: Int, height: Int, crop: CropWindow, smoothing: Int
  ) throws(WebP.DecodeError) {
    precondition(width > 0 && height > 0 && payload.lowerBound >= 0 && payload.upperBound <= bytes.count)
    let header = try WebP.DecodeError.converting(try AlphaHeader(bytes, payload: payload))
    self.width = width
    self.height = height
    self.crop = crop
    windowStart = width
    filter = header.filter
    let strength = header.isReduced ? min(smoothing, 100) : 0
    self.smoothing =
      strength > 0
      ? .init(AlphaSmoothing(crop, at: width + crop.y * width + crop.x, stride: width, strength: strength)) : nil
    position = payload.lowerBound + 1
    (window, pixels, top, rowsDecoded, lastRow, lossless, failure) = ([], [], 0, 0, 0, nil, nil)

    if header.isCompressed {
      let stream = LosslessStream(start: position, end: payload.upperBound, isAlpha: true)
      let parameters = try LosslessParameters(stream, width: width, height: height, bytes, isComplete: true)
      lossless = parameters.map { LosslessDecoder($0) }
      // In this case, libwebp does not filter the rows above the crop, and treats the crop's first row like row 0.
      if filter == .horizontal, lossless?.usesEightBitAlphaPath == true { top = crop.y }
    } else if payload.count - 1 < width * height {
      throw WebP.DecodeError(.truncatedAlpha, chunk: .alph, offset: payload.upperBound, status: 1)
    }
  }

  init(copying other: AlphaDecoder) {
    width = other.width
    height = other.height
    window = other.window
    windowStart = other.windowStart
    filter = other.filter
    crop = other.crop
    smoothing = other.smoothing
    failure = other.failure
    top = other.top
    position = other.position
    lossless = other.lossless
    pixels = other.pixels
    rowsDecoded = other.rowsDecoded
    lastRow = other.lastRow
  }

  /// Decodes the next rows into `window`.
  ///
  /// - Parameter rows: must follow the previous call's rows, and must not be below the crop.
  /// - Throws: The error of a row. If alpha is smoothed, also of a later row in the crop.
  func decode(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    if smoothing == nil { return try decodeRows(rows, bytes, to: width) }
    _ = decodeAhead(bytes, pixelLimit: .max)
    if let failure { throw failure }
    var alpha = window.mutableSpan
    smoothing.unique()?.value.smooth(before: rows.upperBound, in: &alpha)
    windowStart = width + rows.lowerBound * width
  }

  /// If alpha is smoothed, decodes its next rows before their turn. `decode` throws their error.
  ///
  /// - Parameter pixelLimit: about the number of pixels after which decoding pauses.
  /// - Returns: whether no further call is needed.
  func decodeAhead(_ bytes: Span<UInt8>, pixelLimit: Int) -> Bool {
    let end = crop.rows.upperBound
    guard smoothing != nil, failure == nil, rowsDecoded < end else { return true }
    if rowsDecoded == 0 { window.reserveCapacity((end + 1) * width) }
    let rows = rowsDecoded..<rowsDecoded + min(max(1, pixelLimit / width), end - rowsDecoded)
    do throws(WebP.DecodeError) {
      try decodeRows(rows, bytes, to: width + rows.lowerBound * width)
      smoothing.unique()?.value.countLevels(of: rows, in: window.span)
    } catch {
      failure = error
    }
    return failure != nil || rowsDecoded == end
  }

  /// Copies the first `count` rows of the window.
  func copyWindow(_ count: Int, to rows: inout ContiguousArray<UInt8>) {
    let window = window
    rows.copy(count * width, from: window.span, at: windowStart, to: 0)
  }

  /// - Parameter start: the offset of the rows in the window. The row above precedes them.
  private func decodeRows(_ rows: Range<Int>, _ bytes: Span<UInt8>, to start: Int) throws(WebP.DecodeError) {
    precondition(rows.lowerBound == rowsDecoded && rows.upperBound <= height && !rows.isEmpty)
    makeRoom(rows.count, at: start)
    let width = width
    if lossless == nil {
      window.copy(rows.count * width, from: bytes, at: position, to: start)
      position += rows.count * width
    } else {
      try decodeLossless(rows, bytes, to: start)
    }
    let (filter, top) = (filter, top)
    var span = window.mutableSpan
    addAlphaPredictions(filter, rows, in: &span, at: start, width: width, top: top)
    rowsDecoded = rows.upperBound
    lastRow = start + (rows.count - 1) * width
  }

  /// Enlarges the window if necessary, and moves the last row to the position of the row above.
  private func makeRoom(_ rows: Int, at start: Int) {
    _ = window.appendZeros(upTo: start + rows * width, pixelLimit: .max)
    if lastRow != start - width { window.move(width, from: lastRow, to: start - width) }
  }

  private func decodeLossless(_ rows: Range<Int>, _ bytes: Span<UInt8>, to start: Int) throws(WebP.DecodeError) {
    let width = width
    // A small batch, because it takes four bytes per pixel.
    let batch = 4
    // Inout, because each access to a property of an object is checked at run time.
    func decode(
      _ lossless: inout LosslessDecoder?, _ pixels: inout ContiguousArray<UInt8>, _ window: inout ContiguousArray<UInt8>
    ) throws(WebP.DecodeError) {
      if pixels.isEmpty { pixels = ContiguousArray(filledWith: 0, count: 4 * width * min(batch, height)) }
      var y = rows.lowerBound
      while y < rows.upperBound {
        let end = min(rows.upperBound, y + batch)
        _ = try lossless?.decodeRows(upTo: end, bytes, isComplete: true)
        var target = pixels.mutableSpan
        lossless?.transformRows(y..<end, into: &target, offset: 0, stride: 4 * width)
        var alpha = window.mutableSpan
        copyGreens((end - y) * width, from: pixels.span, to: &alpha, at: start + (y - rows.lowerBound) * width)
        y = end
      }
    }
    try decode(&lossless, &pixels, &window)
  }
}
