/// Converts lossy rows to packed formats with the nearest chroma sample. Each row is written immediately.
struct NearestUpsampler {
  func write(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha: Span<UInt8>, through writer: inout PackedWriter,
    into pixels: inout MutableSpan<UInt8>
  ) {
    for row in windowRows.rows {
      writer.write(
        luma: source.luma.span, at: windowRows.luma(row), alpha: alpha, at: windowRows.alpha(row), u: source.u.span,
        v: source.v.span, at: windowRows.chroma(row), row: row, into: &pixels)
    }
  }
}
