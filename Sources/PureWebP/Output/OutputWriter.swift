// The output pipeline: from decoded rows to the caller's memory.
//
//     VP8   Y U V rows, A rows ─▶ CropWindow ─┬─▶ packed formats: PackedWriter, alone or after FancyUpsampler
//                                             ├─▶ planar formats: PlaneWriter
//                                             └─▶ scaled: LossyScaler
//     VP8L  R G B A rows ───────▶ CropWindow ─┬─▶ packed formats: PackedWriter
//                                             ├─▶ planar formats: YUVConverter
//                                             └─▶ scaled: LosslessScaler

internal import WebPFormat

/// Writes the rows of an image, which arrive in order and in batches, as `DecodeOptions` specify.
///
/// The bitstream decoders do not depend on the output options, and this type does not depend on the bitstream.
struct OutputWriter {
  /// The positions of the output's rows in the caller's memory.
  private(set) var layout: WebP.Layout
  /// The number of finished output rows, counted from the top, or from the bottom if the image is flipped.
  private(set) var finishedRows = 0
  /// Indicates whether all output rows are finished. The remaining rows of the image are not needed then.
  var isFinished: Bool { finishedRows == height }
  /// The number of rows of the image that have been written, including rows outside of the crop.
  private(set) var imageRows = 0
  /// The numbers of finished rows and of rows of the image at which decoding pauses.
  private var limits = (finishedRows: Int.max, imageRows: Int.max)
  /// Indicates whether more rows can be written before the image is finished or decoding pauses.
  var acceptsRows: Bool { finishedRows < min(height, limits.finishedRows) && imageRows < limits.imageRows }
  /// Indicates whether decoding can continue with the bytes that are available.
  var isPaused: Bool { !isFinished && !acceptsRows }

  let geometry: OutputGeometry
  private let options: WebP.DecodeOptions
  private var packed: PackedWriter
  // Created when the first rows arrive. An image needs at most one of them. The scalers are arrays of at most one
  // element, because they are large and rarely used.
  private var fancy: FancyUpsampler?
  private var converter: YUVConverter?
  private var lossyScaler: ContiguousArray<LossyScaler> = []
  private var losslessScaler: ContiguousArray<LosslessScaler> = []

  /// - Parameters:
  ///   - geometry: the crop and the size that the options specify.
  ///   - stride: as in `WebP.Layout`.
  ///   - stripRows: as in `OutputGeometry.layout`. Not supported for planar or flipped output.
  @inline(never)
  init(
    _ geometry: OutputGeometry, options: WebP.DecodeOptions, stride: Int?, stripRows: Int? = nil
  ) throws(WebP.DecodeError) {
    layout = try geometry.layout(options.format, stride: stride, stripRows: stripRows)
    self.geometry = geometry
    self.options = options
    if options.background != nil, options.format.isPlanar { throw WebP.DecodeError(.invalidBackground) }
    packed = PackedWriter(
      options, width: geometry.width, plane: OutputPlane(layout.planes[0], isFlipped: options.flipsVertically))
  }

  /// Writes the next rows to other positions.
  ///
  /// - Parameter layout: has the planes of the format. If a stride is negative, the offset is the position of the top
  ///   row, which is the last one in memory.
  mutating func place(in layout: WebP.Layout) {
    self.layout = layout
    packed.plane = OutputPlane(layout.planes[0], isFlipped: options.flipsVertically)
    let (planes, scaledPlanes) = (planes, scaledPlanes)
    converter?.planes = planes
    if !lossyScaler.isEmpty, lossyScaler[0].planes != nil { lossyScaler[0].planes = planes }
    if !losslessScaler.isEmpty { losslessScaler[0].planes = scaledPlanes }
  }

  /// The width of the output, in pixels.
  var width: Int { geometry.width }

  /// The height of the output, in pixels.
  var height: Int { geometry.height }

  /// The part of the image that is output.
  var window: CropWindow { geometry.window }

  /// Sets the point at which decoding pauses.
  ///
  /// - Parameters:
  ///   - row: the number of finished rows.
  ///   - pixels: about the number of pixels of the image, from the current row on. It counts pixels before scaling and
  ///     outside of the crop too, because they take the time.
  mutating func pause(before row: Int, afterPixels pixels: Int) {
    let (sum, overflow) = imageRows.addingReportingOverflow(max(1, pixels / geometry.imageWidth))
    limits = (row, overflow ? .max : sum)
  }

  /// Writes the next rows of a lossy image.
  ///
  /// - Parameters:
  ///   - alpha: a byte for each pixel of `rows.rows`, row after row without gaps, and `YUVRows.slack` more bytes; empty
  ///     for an opaque image.
  ///   - pixels: the memory that `layout` describes.
  mutating func write(_ rows: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    imageRows = rows.rows.upperBound
    let windowRows = WindowRows(rows, window: window, imageWidth: geometry.imageWidth)
    guard !windowRows.rows.isEmpty else { return }
    let first = finishedRows
    // Gray is expanded luma. A background makes it depend on colors.
    let isGray = options.format == .gray8 && (options.background == nil || alpha.isEmpty)
    let isPlanar = isGray || options.format.isPlanar
    if geometry.isScaled {
      if lossyScaler.isEmpty {
        lossyScaler.append(LossyScaler(window: window, to: width, height, planes: isPlanar ? planes : nil))
      }
      finishedRows = lossyScaler[0].write(rows, windowRows, alpha: alpha, through: packed, into: &pixels)
    } else if isPlanar {
      PlaneWriter(planes: planes).write(rows, windowRows, alpha: alpha, into: &pixels)
      finishedRows = windowRows.rows.upperBound
    } else if options.upsampling == .fancy {
      if fancy == nil { fancy = FancyUpsampler(width: width, height: height) }
      finishedRows = fancy?.write(rows, windowRows, alpha: alpha, through: &packed, into: &pixels) ?? 0
    } else {
      packed.writeNearest(rows, windowRows, alpha: alpha, into: &pixels)
      finishedRows = windowRows.rows.upperBound
    }
    if isGray { expandLuma(first..<finishedRows, in: &pixels) }
  }

  @inline(never)
  private func expandLuma(_ rows: Range<Int>, in pixels: inout MutableSpan<UInt8>) {
    for row in rows {
      let start = packed.plane.start(of: row)
      for index in start..<start + width { pixels[index] = expandedLuma(pixels[index]) }
    }
  }

  /// Writes the next rows of a lossless image.
  ///
  /// - Parameters:
  ///   - rgba: R G B A bytes, starting with the first of `rows`.
  ///   - stride: the bytes from row to row of `rgba`.
  ///   - pixels: the memory that `layout` describes.
  mutating func write(rgba: Span<UInt8>, stride: Int, rows: Range<Int>, into pixels: inout MutableSpan<UInt8>) {
    imageRows = rows.upperBound
    let cropRows = window.rows(of: rows)
    guard !cropRows.isEmpty else { return }
    let start = (cropRows.lowerBound + window.y - rows.lowerBound) * stride + 4 * window.x
    if geometry.isScaled {
      if losslessScaler.isEmpty {
        losslessScaler.append(LosslessScaler(window: window, to: width, height, planes: scaledPlanes))
      }
      finishedRows = losslessScaler[0].write(
        rgba: rgba, at: start, stride: stride, rows: cropRows, through: packed, into: &pixels)
    } else if options.format.isPlanar {
      if converter == nil { converter = YUVConverter(width: width, height: height, planes: planes) }
      finishedRows = converter?.write(rgba: rgba, at: start, stride: stride, rows: cropRows, into: &pixels) ?? 0
    } else {
      for row in cropRows {
        packed.write(rgba: rgba, at: start + (row - cropRows.lowerBound) * stride, row: row, into: &pixels)
      }
      finishedRows = cropRows.upperBound
    }
  }

  /// The position in the caller's memory to which a lossless decoder may write R G B A rows directly, from `row` on.
  /// Nil if the output needs a conversion. After writing, the decoder calls `skip(rows:)` instead of `write`.
  func directRows(from row: Int) -> (offset: Int, stride: Int)? {
    let isPlain = options.crop == nil && !geometry.isScaled && !options.flipsVertically && options.background == nil
    guard options.format == .rgba, isPlain, layout.planes[0].rows == height else { return nil }
    return (packed.plane.start(of: row), layout.planes[0].stride)
  }

  /// Counts rows as finished that have been written to the position that `directRows(from:)` returned.
  mutating func skip(rows: Range<Int>) {
    finishedRows = rows.upperBound
    imageRows = rows.upperBound
  }

  private var planes: OutputPlanes { OutputPlanes(layout, isFlipped: options.flipsVertically) }

  private var scaledPlanes: OutputPlanes? { options.format.isPlanar ? planes : nil }
}

/// Expands luma from 16...235 to 0...255.
private func expandedLuma(_ luma: UInt8) -> UInt8 { UInt8(min(255, max(0, ((Int32(luma) - 16) * 510 + 219) / 438))) }
