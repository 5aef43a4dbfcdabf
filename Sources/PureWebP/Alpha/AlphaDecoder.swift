// The alpha chunk (RFC 9649, section 2.7.1.2): the alpha plane of a lossy picture.
//
//   byte 0    see `AlphaHeader`
//   byte 1…   alpha, one byte a pixel, or with compression 1 a VP8L stream without its header, whose green is alpha
//
// Rows come out a few at a time, into a window that also keeps the row above, which filters look at:
//
//   window    ├ row above ┼ rows … ┤
//                         windowStart
//
// Where alpha is smoothed, the first call fills the window down to the crop's end, and windowStart moves through them.

/// Decodes the rows of an alpha chunk, from top to bottom.
struct AlphaDecoder {
  /// How a row is predicted; the stream has the differences.
  enum Filter: UInt8 { case none, horizontal, vertical, gradient }

  let width: Int
  let height: Int
  /// The rows of the last call, from `windowStart` on, `width` bytes each.
  private(set) var window = ContiguousArray<UInt8>()
  private(set) var windowStart: Int

  private let filter: Filter
  /// The part of the picture that is seen.
  private let crop: CropWindow
  /// How strongly alpha is smoothed, 1...100; 0: not at all.
  private let smoothing: Int
  /// The row that is predicted as if there were none above it.
  private var top = 0
  /// Where the alpha of the next row starts, if it is not compressed.
  private var position: Int
  private var lossless: LosslessDecoder?
  /// A batch of rows as the lossless decoder makes them.
  private var pixels = ContiguousArray<UInt8>()
  private var rowsDecoded = 0
  /// Where the last row is in the window.
  private var lastRow = 0

  /// Checks the chunk's header, and reads the header of the stream in it.
  ///
  /// - Parameters:
  ///   - payload: where in `bytes` the chunk's payload is, all of which must be there.
  ///   - crop: the part of the picture that is seen.
  ///   - smoothing: how strongly alpha is smoothed if the encoder has reduced the number of its levels: 0...100.
  init(
    _ bytes: Span<UInt8>, payload: Range<Int>, width: Int, height: Int, crop: CropWindow, smoothing: Int
  ) throws(WebP.DecodeError) {
    precondition(width > 0 && height > 0 && payload.lowerBound >= 0 && payload.upperBound <= bytes.count)
    let header = try AlphaHeader(bytes, payload: payload)
    self.width = width
    self.height = height
    self.crop = crop
    windowStart = width
    filter = Filter(rawValue: header.filter) ?? .none
    self.smoothing = header.isReduced ? min(smoothing, 100) : 0
    position = payload.lowerBound + 1

    if header.isCompressed {
      let stream = LosslessStream(start: position, end: payload.upperBound, isAlpha: true)
      lossless = try LosslessDecoder(stream, width: width, height: height, bytes, isComplete: true)
      // libwebp then leaves out the rows above the crop, unless their filter looks at the row above.
      if filter == .horizontal, lossless?.wouldDecodeIntoBytes == true { top = crop.y }
    } else if payload.count - 1 < width * height {
      throw WebP.DecodeError(.truncatedAlpha, chunk: .alph, offset: payload.upperBound, status: 1)
    }
  }

  /// Makes the next rows, and leaves them in `window`.
  ///
  /// - Parameter rows: the rows after the previous call's, none of them below the crop.
  mutating func decode(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    if smoothing <= 0 { return try decodeRows(rows, bytes) }
    if rowsDecoded == 0 {
      try decodeRows(0..<crop.rows.upperBound, bytes)
      let (width, crop, smoothing) = (width, crop, smoothing)
      var alpha = window.mutableSpan
      smoothAlpha(&alpha, at: width + crop.y * width + crop.x, crop, stride: width, strength: smoothing)
    }
    windowStart = width + rows.lowerBound * width
  }

  /// Copies the first `count` rows of the window.
  func copyWindow(_ count: Int, to rows: inout ContiguousArray<UInt8>) {
    rows.copy(count * width, from: window.span, at: windowStart, to: 0)
  }

  private mutating func decodeRows(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    precondition(rows.lowerBound == rowsDecoded && rows.upperBound <= height && !rows.isEmpty)
    makeRoom(rows.count)
    let width = width
    if lossless == nil {
      window.copy(rows.count * width, from: bytes, at: position, to: width)
      position += rows.count * width
    } else {
      try decodeLossless(rows, bytes)
    }
    let (filter, top) = (filter, top)
    var span = window.mutableSpan
    addAlphaPredictions(filter, rows, in: &span, at: width, width: width, top: top)
    rowsDecoded = rows.upperBound
    lastRow = rows.count * width
  }

  /// Makes the window large enough, with the last row as the row above.
  private mutating func makeRoom(_ rows: Int) {
    let count = (rows + 1) * width
    if window.count < count {
      var larger = ContiguousArray<UInt8>(repeating: 0, count: count)
      if rowsDecoded > 0 { larger.copy(width, from: window.span, at: lastRow, to: 0) }
      window = larger
    } else {
      window.move(width, from: lastRow, to: 0)
    }
  }

  private mutating func decodeLossless(_ rows: Range<Int>, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    let width = width
    // Few, because they take four bytes per pixel.
    let batch = 4
    // Out of `self`, for spans of two of its properties would count as overlapping.
    var pixels = self.pixels
    self.pixels = []
    defer { self.pixels = pixels }
    if pixels.isEmpty { pixels = ContiguousArray(repeating: 0, count: 4 * width * min(batch, height)) }
    var y = rows.lowerBound
    while y < rows.upperBound {
      let end = min(rows.upperBound, y + batch)
      _ = try lossless?.decodeRows(upTo: end, bytes, isComplete: true)
      var target = pixels.mutableSpan
      lossless?.transformRows(y..<end, into: &target, offset: 0, stride: 4 * width)
      var alpha = window.mutableSpan
      copyGreens((end - y) * width, from: pixels.span, to: &alpha, at: (y - rows.lowerBound + 1) * width)
      y = end
    }
  }
}
