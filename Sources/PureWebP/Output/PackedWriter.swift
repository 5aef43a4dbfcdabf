internal import WebPFormat

/// Writes rows of pixels in a packed format.
///
/// The conversion of Y'CbCr writes R G B A and B G R A directly. All other formats are packed from two buffered RGBA
/// rows, which are small enough to stay in the cache.
struct PackedWriter {
  private let format: WebP.PixelFormat
  private let width: Int
  let plane: OutputPlane
  /// Two rows of R G B A. Empty until they are needed.
  private var workspace: ContiguousArray<UInt8> = []

  init(format: WebP.PixelFormat, width: Int, plane: OutputPlane) {
    self.format = format
    self.width = width
    self.plane = plane
  }

  /// Writes a row of R G B A bytes, from `offset` in `rgba` on.
  func write(rgba: Span<UInt8>, at offset: Int, row: Int, into pixels: inout MutableSpan<UInt8>) {
    packRow(rgba: rgba, at: offset, into: &pixels, at: plane.start(of: row), width: width, format: format)
  }

  /// Upsamples and writes two rows, or one row that is passed twice. The parameters are as in `upsampleRowPair`.
  mutating func write(
    luma: Span<UInt8>, at lumaRows: RowPair, alpha: Span<UInt8>, at alphaRows: RowPair, u: Span<UInt8>, v: Span<UInt8>,
    at chromaRows: RowPair, rows: RowPair, into pixels: inout MutableSpan<UInt8>
  ) {
    if let order = directOrder(isOpaque: alpha.isEmpty) {
      upsampleRowPair(
        luma: luma, at: lumaRows, alpha: alpha, at: alphaRows, u: u, v: v, at: chromaRows, into: &pixels,
        at: RowPair(top: plane.start(of: rows.top), bottom: plane.start(of: rows.bottom)), width: width, order: order)
      return
    }
    prepareWorkspace()
    let width = width
    var rgba = workspace.mutableSpan
    upsampleRowPair(
      luma: luma, at: lumaRows, alpha: alpha, at: alphaRows, u: u, v: v, at: chromaRows, into: &rgba,
      at: RowPair(top: 0, bottom: 4 * width), width: width, order: .rgba)
    write(rgba: workspace.span, at: 0, row: rows.top, into: &pixels)
    if rows.bottom != rows.top {
      write(rgba: workspace.span, at: 4 * width, row: rows.bottom, into: &pixels)
    }
  }

  /// Converts and writes a row. The parameters are as in `convertRow`.
  mutating func write(
    luma: Span<UInt8>, at lumaRow: Int, alpha: Span<UInt8>, at alphaRow: Int, u: Span<UInt8>, v: Span<UInt8>,
    at chromaRow: Int, row: Int, into pixels: inout MutableSpan<UInt8>
  ) {
    if let order = directOrder(isOpaque: alpha.isEmpty) {
      convertRow(
        luma: luma, at: lumaRow, alpha: alpha, at: alphaRow, u: u, v: v, at: chromaRow, into: &pixels,
        at: plane.start(of: row), width: width, order: order)
      return
    }
    prepareWorkspace()
    let width = width
    var rgba = workspace.mutableSpan
    convertRow(
      luma: luma, at: lumaRow, alpha: alpha, at: alphaRow, u: u, v: v, at: chromaRow, into: &rgba, at: 0, width: width,
      order: .rgba)
    write(rgba: workspace.span, at: 0, row: row, into: &pixels)
  }

  /// The channel order, if the conversion can write the output format directly. Nil otherwise.
  private func directOrder(isOpaque: Bool) -> ChannelOrder? {
    switch format {
    case .rgba: .rgba
    case .bgra: .bgra
    case .rgbaPremultiplied: isOpaque ? .rgba : nil
    case .bgraPremultiplied: isOpaque ? .bgra : nil
    default: nil
    }
  }

  private mutating func prepareWorkspace() {
    if workspace.isEmpty { workspace = ContiguousArray(filledWith: 0, count: 8 * width) }
  }
}
