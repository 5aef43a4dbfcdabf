// From decoded rows to the caller's memory.
//
//     VP8   Y U V rows, A rows ─▶ CropWindow ─┬─▶ packed formats: FancyUpsampler or NearestUpsampler ─▶ PackedWriter
//                                             ├─▶ planar formats: PlaneWriter
//                                             └─▶ scaled: LossyScaler
//     VP8L  R G B A rows ───────▶ CropWindow ─┬─▶ packed formats: PackedWriter
//                                             ├─▶ planar formats: YUVConverter
//                                             └─▶ scaled: LosslessScaler

/// Writes a picture, whose rows come in order and in batches, the way that `DecodeOptions` ask for.
///
/// The bitstream decoders know nothing of what was asked for; this knows nothing of bitstreams.
final class OutputWriter {
  /// Of the output, in pixels.
  let width: Int
  /// Of the output, in pixels.
  let height: Int
  let layout: WebP.Layout
  /// Output rows that are finished, counted from the top, or from the bottom where the picture is flipped.
  private(set) var finishedRows = 0
  /// Whether all rows are finished. Nobody needs the rows of the picture that are left.
  var isFinished: Bool { finishedRows == height }
  /// How many rows are finished when there is to be a pause.
  var pause = Int.max
  /// Whether it takes more rows for the time being.
  var acceptsRows: Bool { finishedRows < min(height, pause) }
  /// Whether a lossy picture is made so much smaller that its loop filter would not be seen, and is left out.
  let skipsLoopFilter: Bool

  /// The part of the picture that is seen.
  let window: CropWindow

  private let isScaled: Bool
  private let options: WebP.DecodeOptions
  private let pictureWidth: Int
  private var packed: PackedWriter
  // Made when the first rows come; of these, a picture needs one at most.
  private var fancy: FancyUpsampler?
  private var converter: YUVConverter?
  private var lossyScaler: LossyScaler?
  private var losslessScaler: LosslessScaler?

  /// - Parameters:
  ///   - width: of the picture in the bitstream.
  ///   - height: of the picture in the bitstream.
  ///   - isLossy: whether the rows will be Y U V rather than R G B A.
  ///   - derivedPixels: how many pixels the output may have where the picture's shape decides on it.
  ///   - stride: as in `WebP.Layout`.
  ///   - rowsHeld: how many rows there is memory for; only for what is neither scaled, flipped nor planar.
  init(
    width: Int, height: Int, isLossy: Bool, options: WebP.DecodeOptions, derivedPixels: Int = .max, stride: Int?,
    rowsHeld: Int = .max
  ) throws(WebP.DecodeError) {
    let geometry = try OutputGeometry(
      options, width: width, height: height, isLossy: isLossy, derivedPixels: derivedPixels)
    let layout = try geometry.layout(options.format, stride: stride, rowsHeld: rowsHeld)

    window = geometry.window
    self.width = geometry.width
    self.height = geometry.height
    isScaled = geometry.isScaled
    self.layout = layout
    self.options = options
    pictureWidth = width
    skipsLoopFilter = isScaled && self.width < 3 * width / 4 && self.height < 3 * height / 4
    packed = PackedWriter(
      format: options.format, width: self.width,
      plane: OutputPlane(layout.planes[0], isFlipped: options.flipsVertically))
  }

  init(copying other: OutputWriter) {
    width = other.width
    height = other.height
    layout = other.layout
    finishedRows = other.finishedRows
    pause = other.pause
    skipsLoopFilter = other.skipsLoopFilter
    window = other.window
    isScaled = other.isScaled
    options = other.options
    pictureWidth = other.pictureWidth
    packed = other.packed
    fancy = other.fancy
    converter = other.converter
    lossyScaler = other.lossyScaler
    losslessScaler = other.losslessScaler
  }

  /// Takes the next rows of a lossy picture.
  ///
  /// - Parameters:
  ///   - alpha: a byte for each pixel of `rows.rows`, row after row without gaps, and `YUVRows.slack` bytes more; empty
  ///     for an opaque picture.
  ///   - pixels: what `layout` describes.
  func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    let places = WindowRows(rows, window: window, pictureWidth: pictureWidth)
    guard !places.rows.isEmpty else { return }
    if isScaled {
      if lossyScaler == nil { lossyScaler = LossyScaler(window: window, to: width, height, planes: scaledPlanes) }
      finishedRows = lossyScaler?.write(rows, places, alpha: alpha, through: packed, into: &pixels) ?? 0
    } else if options.format.isPlanar {
      PlaneWriter(planes: planes).write(rows, places, alpha: alpha, into: &pixels)
      finishedRows = places.rows.upperBound
    } else if options.upsampling == .fancy {
      if fancy == nil { fancy = FancyUpsampler(width: width, height: height) }
      finishedRows = fancy?.write(rows, places, alpha: alpha, through: &packed, into: &pixels) ?? 0
    } else {
      NearestUpsampler().write(rows, places, alpha: alpha, through: &packed, into: &pixels)
      finishedRows = places.rows.upperBound
    }
  }

  /// Takes the next rows of a lossless picture.
  ///
  /// - Parameters:
  ///   - rgba: R G B A bytes, starting with the first of `rows`.
  ///   - stride: bytes from row to row of `rgba`.
  ///   - pixels: what `layout` describes.
  func write(rgba: Span<UInt8>, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>) {
    let shown = window.rows(of: rows)
    guard !shown.isEmpty else { return }
    let start = (shown.lowerBound + window.y - rows.lowerBound) * stride + 4 * window.x
    if isScaled {
      if losslessScaler == nil {
        losslessScaler = LosslessScaler(window: window, to: width, height, planes: scaledPlanes)
      }
      finishedRows =
        losslessScaler?.write(
          rgba: rgba, at: start, stride: stride, rows: shown, through: packed, into: &pixels) ?? 0
    } else if options.format.isPlanar {
      if converter == nil { converter = YUVConverter(width: width, height: height, planes: planes) }
      finishedRows = converter?.write(rgba: rgba, at: start, stride: stride, rows: shown, into: &pixels) ?? 0
    } else {
      for row in shown {
        packed.write(rgba: rgba, at: start + (row - shown.lowerBound) * stride, row: row, into: &pixels)
      }
      finishedRows = shown.upperBound
    }
  }

  /// Where a lossless decoder may write rows from `row` on as R G B A itself, without `write`: the offset of the row in
  /// the caller's memory and the bytes from row to row. Nil where the output differs from that. Rows written so are
  /// told with `skip(rows:)`.
  func directRows(from row: Int) -> (offset: Int, stride: Int)? {
    let isPlain = options.crop == nil && !isScaled && !options.flipsVertically
    guard options.format == .rgba, isPlain, layout.planes[0].rows == height else { return nil }
    return (packed.plane.start(of: row), layout.planes[0].stride)
  }

  /// Counts `rows` as finished, which have been written to where `directRows(from:)` told.
  func skip(rows: Range<Int>) {
    finishedRows = rows.upperBound
  }

  private var planes: [OutputPlane] {
    layout.planes.map { OutputPlane($0, isFlipped: options.flipsVertically) }
  }

  private var scaledPlanes: [OutputPlane] { options.format.isPlanar ? planes : [] }
}
