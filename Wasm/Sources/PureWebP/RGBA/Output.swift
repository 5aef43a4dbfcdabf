// What Core/Output is to the library: the way from decoded rows to memory, for R G B A alone.
//
// A browser wants nothing else, and scales, crops and turns pictures itself. The library's Output, with its thirteen
// formats, scalers and planes, would be a sixth of the module.

/// Writes a picture, whose rows come in order and in batches, as R G B A.
struct Output {
  let width: Int
  let height: Int
  let layout: WebP.Layout
  /// Counted from the top.
  private(set) var finishedRows = 0
  var isFinished: Bool { finishedRows == height }
  /// There are no pauses.
  var pause: Int {
    get { height }
    set {}
  }
  var takesRows: Bool { !isFinished }
  var leavesOutLoopFilter: Bool { false }

  let window: CropWindow
  private var packed: PackedWriter
  /// Made when the first rows of a lossy picture come.
  private var fancy: FancyUpsampler?

  /// - Parameter stride: bytes from row to row; nil: rows without gaps.
  init(
    width: Int, height: Int, isLossy: Bool, options: WebP.DecodeOptions, derivedPixels: Int = .max, stride: Int?,
    rowsHeld: Int = .max
  ) throws(WebP.DecodeError) {
    guard let layout = WebP.Layout(format: .rgba, width: width, height: height, stride: stride) else {
      throw WebP.DecodeError(.limitExceeded, "the picture does not fit the address space")
    }
    window = try CropWindow(nil, width: width, height: height, isLossy: isLossy)
    self.width = width
    self.height = height
    self.layout = layout
    packed = PackedWriter(width: width, stride: layout.planes[0].stride)
  }

  /// Takes the next rows of a lossy picture.
  mutating func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    let places = WindowRows(rows, window: window, pictureWidth: width)
    guard !places.rows.isEmpty else { return }
    if fancy == nil { fancy = FancyUpsampler(width: width, height: height) }
    finishedRows = fancy?.write(rows, places, alpha: alpha, through: &packed, into: &pixels) ?? 0
  }

  /// Takes rows that are R G B A already.
  mutating func write(rgba: Span<UInt8>, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>) {
    for row in rows {
      pixels.copy(4 * width, from: rgba, at: (row - rows.lowerBound) * stride, to: row * packed.stride)
    }
    finishedRows = rows.upperBound
  }

  /// Where a lossless decoder writes rows from `row` on itself.
  func directRows(from row: Int) -> (offset: Int, stride: Int)? { (row * packed.stride, packed.stride) }

  /// Counts `rows` as finished, which have been written to where `directRows(from:)` told.
  mutating func skip(rows: Range<Int>) { finishedRows = rows.upperBound }
}

/// Writes pairs of rows where they belong.
struct PackedWriter {
  let width: Int
  let stride: Int

  func write(
    luma: Span<UInt8>, at lumaRows: RowPair, alpha: Span<UInt8>, at alphaRows: RowPair, u: Span<UInt8>, v: Span<UInt8>,
    at chromaRows: RowPair, rows: RowPair, into pixels: inout MutableSpan<UInt8>
  ) {
    upsampleRowPair(
      luma: luma, at: lumaRows, alpha: alpha, at: alphaRows, u: u, v: v, at: chromaRows, into: &pixels,
      at: RowPair(top: rows.top * stride, bottom: rows.bottom * stride), width: width, order: .rgba)
  }
}
