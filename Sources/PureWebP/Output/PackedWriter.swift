internal import WebPFormat

/// Writes rows of pixels in a packed format.
///
/// The conversion of Y'CbCr writes R G B A and B G R A directly. All other formats are packed from two buffered RGBA
/// rows, which are small enough to stay in the cache.
struct PackedWriter {
  private let format: WebP.PixelFormat
  private let width: Int
  /// The color under transparent pixels. Nil if alpha is not blended.
  private let background: WebP.Color?
  var plane: OutputPlane
  /// Two rows of R G B A. Empty until they are needed.
  private var workspace: ContiguousArray<UInt8> = []

  init(_ options: WebP.DecodeOptions, width: Int, plane: OutputPlane) {
    format = options.format
    background = options.background
    self.width = width
    self.plane = plane
  }

  /// Writes a row of R G B A bytes, from `offset` in `rgba` on.
  func write(rgba: Span<UInt8>, at offset: Int, row: Int, into pixels: inout MutableSpan<UInt8>) {
    let start = plane.start(of: row)
    guard let background else {
      return packRow(rgba: rgba, at: offset, into: &pixels, at: start, width: width, format: format)
    }
    packBlendedRow(
      rgba.extracting(offset..<offset + 4 * width), on: background, into: &pixels, at: start, format: format)
  }

  /// Converts and writes two rows, or one row that is passed twice.
  ///
  /// - Parameters:
  ///   - isOpaque: whether the rows have no alpha.
  ///   - convert: converts both rows to pixels of a channel order, at two positions of the output.
  mutating func write(
    _ rows: RowPair, isOpaque: Bool, into pixels: inout MutableSpan<UInt8>,
    _ convert: (_ output: inout MutableSpan<UInt8>, _ positions: RowPair, ChannelOrder) -> Void
  ) {
    if let order = directOrder(isOpaque: isOpaque) {
      let positions = RowPair(top: plane.start(of: rows.top), bottom: plane.start(of: rows.bottom))
      return convert(&pixels, positions, order)
    }
    writeThroughWorkspace(rows, into: &pixels, convert)
  }

  /// Separate from the direct path, which would otherwise count the references to the workspace for each row.
  @inline(never)
  private mutating func writeThroughWorkspace(
    _ rows: RowPair, into pixels: inout MutableSpan<UInt8>,
    _ convert: (_ output: inout MutableSpan<UInt8>, _ positions: RowPair, ChannelOrder) -> Void
  ) {
    let width = width
    if workspace.isEmpty { workspace = ContiguousArray(filledWith: 0, count: 8 * width) }
    var rgba = workspace.mutableSpan
    convert(&rgba, RowPair(top: 0, bottom: 4 * width), .rgba)
    writeWorkspace(rows, into: &pixels)
  }

  /// Not inlined, because its caller is specialized for each conversion.
  @inline(never)
  private func writeWorkspace(_ rows: RowPair, into pixels: inout MutableSpan<UInt8>) {
    write(rgba: workspace.span, at: 0, row: rows.top, into: &pixels)
    if rows.bottom != rows.top {
      write(rgba: workspace.span, at: 4 * width, row: rows.bottom, into: &pixels)
    }
  }

  /// Converts and writes lossy rows with the nearest chroma sample.
  ///
  /// - Parameter alpha: the alpha rows at the positions in `windowRows`. Empty for an opaque image.
  mutating func writeNearest(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>
  ) {
    let (width, luma, u, v) = (width, source.luma, source.u, source.v)
    for row in windowRows.rows {
      write(RowPair(top: row, bottom: row), isOpaque: alpha.isEmpty, into: &pixels) { output, positions, order in
        convertRow(
          luma: luma.span, at: windowRows.luma(row), alpha: alpha, at: windowRows.alpha(row), u: u.span, v: v.span,
          at: windowRows.chroma(row), into: &output, at: positions.top, width: width, order: order)
      }
    }
  }

  /// The channel order, if the conversion can write the output format directly. Nil otherwise.
  private func directOrder(isOpaque: Bool) -> ChannelOrder? {
    switch format {
    case .rgba: isOpaque || background == nil ? .rgba : nil
    case .bgra: isOpaque || background == nil ? .bgra : nil
    case .rgbaPremultiplied: isOpaque ? .rgba : nil
    case .bgraPremultiplied: isOpaque ? .bgra : nil
    case .argb, .argbPremultiplied, .rgb, .bgr, .rgb565, .rgba4444, .rgba4444Premultiplied: nil
    case .yuv, .yuva, .luma, .gray8: nil
    }
  }
}

/// Packs R G B A pixels after they were blended with a color. A separate function without the writer, because
/// otherwise each row would count the references to its workspace.
@inline(never)
private func packBlendedRow(
  _ rgba: Span<UInt8>, on background: WebP.Color, into pixels: inout MutableSpan<UInt8>, at start: Int,
  format: WebP.PixelFormat
) {
  let blended = flattenedRow(rgba, on: background)
  packRow(rgba: blended.span, at: 0, into: &pixels, at: start, width: rgba.count / 4, format: format)
}

/// Blends R G B A pixels that are not premultiplied with a color. The result is opaque.
private func flattenedRow(_ rgba: Span<UInt8>, on color: WebP.Color) -> ContiguousArray<UInt8> {
  var row = ContiguousArray<UInt8>(filledWith: 255, count: rgba.count)
  var target = row.mutableSpan
  for channel in 0..<3 {
    let background = UInt32(channel == 0 ? color.red : channel == 1 ? color.green : color.blue)
    for index in stride(from: channel, to: rgba.count, by: 4) {
      let alpha = UInt32(rgba[index - channel + 3])
      target[index] = UInt8((UInt32(rgba[index]) * alpha + background * (255 - alpha) + 127) / 255)
    }
  }
  return row
}
