/// Writes rows of pixels in a packed format.
///
/// R G B A and B G R A come straight from the conversion of Y'CbCr. Every other format is packed from rows of R G B A,
/// two of which are held here, small enough to stay in the cache.
struct PackedWriter {
  private let format: WebP.PixelFormat
  private let width: Int
  let plane: OutputPlane
  /// Two rows of R G B A; empty until they are needed.
  private var workspace: ContiguousArray<UInt8> = []

  init(format: WebP.PixelFormat, width: Int, plane: OutputPlane) {
    self.format = format
    self.width = width
    self.plane = plane
  }

  /// Writes a row of R G B A bytes that are in `rgba` from `offset` on.
  func write(rgba: Span<UInt8>, at offset: Int, row: Int, into pixels: inout MutableSpan<UInt8>) {
    packRow(rgba: rgba, at: offset, into: &pixels, at: plane.start(of: row), width: width, format: format)
  }

  /// Writes two rows, or one that is given twice, as `upsampleRowPair` does.
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

  /// Writes a row, as `convertRow` does.
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

  /// The order to convert to where that is all there is to do.
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
    if workspace.isEmpty { workspace = ContiguousArray(repeating: 0, count: 8 * width) }
  }
}
