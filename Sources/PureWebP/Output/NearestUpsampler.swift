/// The way of lossy rows to packed formats with the nearest chroma sample: each row is written as it comes.
struct NearestUpsampler {
  let width: Int

  func write(
    _ source: borrowing YUVRows, alpha: Span<UInt8>, through writer: inout PackedWriter,
    into pixels: inout MutableSpan<UInt8>
  ) {
    for row in source.rows {
      let index = row - source.rows.lowerBound
      writer.write(
        luma: source.luma.span, at: source.lumaStart + index * source.lumaStride, alpha: alpha, at: index * width,
        u: source.u.span, v: source.v.span, at: source.chromaStart + index / 2 * source.chromaStride, row: row,
        into: &pixels)
    }
  }
}
