/// Converts lossy rows to packed formats with the nearest chroma sample. Each row is written immediately.
struct NearestUpsampler {
  func write(
    _ source: borrowing YUVRows, _ places: WindowRows, alpha: Span<UInt8>, through writer: inout PackedWriter,
    into pixels: inout MutableSpan<UInt8>
  ) {
    for row in places.rows {
      writer.write(
        luma: source.luma.span, at: places.luma(row), alpha: alpha, at: places.alpha(row), u: source.u.span,
        v: source.v.span, at: places.chroma(row), row: row, into: &pixels)
    }
  }
}
