// From decoded rows to the caller's memory.
//
//     VP8   Y U V rows, A rows ──▶ planar formats: PlaneWriter ──────────────────────────▶ pixels
//                              └─▶ packed formats: FancyUpsampler or NearestUpsampler
//                                                  └─▶ PackedWriter ─────────────────────▶ pixels
//     VP8L  R G B A rows ────────▶ packed formats: PackedWriter ─────────────────────────▶ pixels
//                              └─▶ planar formats: YUVConverter ─────────────────────────▶ pixels

/// Writes a picture, whose rows come in order and in batches, the way that `DecodeOptions` ask for.
///
/// The bitstream decoders know nothing of formats; this knows nothing of bitstreams.
struct Output {
  /// Of the output, in pixels.
  let width: Int
  /// Of the output, in pixels.
  let height: Int
  let layout: WebP.Layout
  /// Output rows that are finished, counted from the top.
  private(set) var finishedRows = 0

  private let format: WebP.PixelFormat
  private let upsampling: WebP.DecodeOptions.Upsampling
  private var packed: PackedWriter
  /// Made when the first rows of a lossy picture come.
  private var fancy: FancyUpsampler?
  /// Made when the first rows of a lossless picture come.
  private var converter: YUVConverter?

  /// - Parameters:
  ///   - width: of the picture in the bitstream.
  ///   - height: of the picture in the bitstream.
  ///   - stride: as in `WebP.Layout`.
  init(width: Int, height: Int, options: WebP.DecodeOptions, stride: Int?) throws(WebP.DecodeError) {
    guard let layout = WebP.Layout(format: options.format, width: width, height: height, stride: stride) else {
      throw WebP.DecodeError(.invalidOptions, "the stride is smaller than a row, or too large")
    }
    self.width = width
    self.height = height
    self.layout = layout
    format = options.format
    upsampling = options.upsampling
    packed = PackedWriter(format: options.format, width: width, plane: layout.planes[0])
  }

  /// Takes the next rows of a lossy picture.
  ///
  /// - Parameters:
  ///   - alpha: a byte for each pixel of `rows.rows`, row after row without gaps, and `blockSlack` bytes more; empty for
  ///     an opaque picture.
  ///   - pixels: what `layout` describes.
  mutating func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    if format.isPlanar {
      PlaneWriter(layout: layout).write(rows, alpha: alpha, into: &pixels)
      finishedRows = rows.rows.upperBound
    } else if upsampling == .fancy {
      if fancy == nil { fancy = FancyUpsampler(width: width, height: height) }
      finishedRows = fancy?.write(rows, alpha: alpha, through: &packed, into: &pixels) ?? 0
    } else {
      NearestUpsampler(width: width).write(rows, alpha: alpha, through: &packed, into: &pixels)
      finishedRows = rows.rows.upperBound
    }
  }

  /// Takes the next rows of a lossless picture.
  ///
  /// - Parameters:
  ///   - rgba: R G B A bytes, starting with the first of `rows`.
  ///   - stride: bytes from row to row of `rgba`.
  ///   - pixels: what `layout` describes.
  mutating func write(rgba: Span<UInt8>, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>) {
    if format.isPlanar {
      if converter == nil { converter = YUVConverter(width: width, height: height, layout: layout) }
      finishedRows = converter?.write(rgba: rgba, stride: stride, rows: rows, into: &pixels) ?? 0
    } else {
      for row in rows {
        packed.write(rgba: rgba, at: (row - rows.lowerBound) * stride, row: row, into: &pixels)
      }
      finishedRows = rows.upperBound
    }
  }

  /// Where a lossless decoder may write rows from `row` on as R G B A itself, without `write`: the offset of the row in
  /// the caller's memory and the bytes from row to row. Nil where the output differs from that. Rows written so are
  /// told with `skip(rows:)`.
  func directRows(from row: Int) -> (offset: Int, stride: Int)? {
    guard format == .rgba else { return nil }
    return (packed.offset(of: row), packed.stride)
  }

  /// Counts `rows` as finished, which have been written to where `directRows(from:)` told.
  mutating func skip(rows: Range<Int>) {
    finishedRows = rows.upperBound
  }
}
