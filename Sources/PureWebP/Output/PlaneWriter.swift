/// The way of lossy rows to planar formats: they are copied.
struct PlaneWriter {
  let layout: WebP.Layout

  /// - Parameter alpha: a byte for each pixel, without gaps; empty for an opaque picture.
  func write(_ source: borrowing YUVRows, alpha: Span<UInt8>, into pixels: inout MutableSpan<UInt8>) {
    let rows = source.rows
    let chromaRows = rows.lowerBound / 2..<(rows.upperBound + 1) / 2
    copy(source.luma.span, source.lumaStart, source.lumaStride, rows, to: layout.planes[0], in: &pixels)
    copy(source.u.span, source.chromaStart, source.chromaStride, chromaRows, to: layout.planes[1], in: &pixels)
    copy(source.v.span, source.chromaStart, source.chromaStride, chromaRows, to: layout.planes[2], in: &pixels)
    guard layout.planes.count == 4 else { return }
    let plane = layout.planes[3]
    guard alpha.isEmpty else { return copy(alpha, 0, plane.rowBytes, rows, to: plane, in: &pixels) }
    for row in rows {
      pixels.fill(plane.rowBytes, with: 255, at: plane.offset + row * plane.stride)
    }
  }

  private func copy(
    _ source: Span<UInt8>, _ start: Int, _ stride: Int, _ rows: Range<Int>, to plane: WebP.Layout.Plane,
    in pixels: inout MutableSpan<UInt8>
  ) {
    for row in rows {
      pixels.copy(
        plane.rowBytes, from: source, at: start + (row - rows.lowerBound) * stride,
        to: plane.offset + row * plane.stride)
    }
  }
}
