/// Converts lossy rows to packed formats with fancy upsampling (see Upsampling.swift).
///
/// Luma row 2j − 1 needs chroma row j, which arrives with luma row 2j. Therefore the last row of a batch is deferred
/// until the next batch, whose first row is copied next to it. The last sample of each stored chroma row is repeated,
/// as the kernel requires. The lowest bit of a row's index selects its slot:
///
///     luma, alpha   ├ even row: a copy ────┼ slack ┼ odd row: deferred ───┼ slack ┤
///     u, v          ├ even row ─┼ last ┼ slack ┼ odd row ─┼ last ┼ slack ┤
final class FancyUpsampler {
  private let width: Int
  private let height: Int
  private let chromaWidth: Int
  private let lumaStride: Int
  private let chromaStride: Int
  private var luma: ContiguousArray<UInt8>
  /// Empty while the image is opaque.
  private var alpha: ContiguousArray<UInt8> = []
  private var u: ContiguousArray<UInt8>
  private var v: ContiguousArray<UInt8>

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    chromaWidth = (width + 1) / 2
    lumaStride = width + blockSlack
    chromaStride = chromaWidth + 1 + blockSlack
    luma = ContiguousArray(repeating: 0, count: 2 * lumaStride)
    u = ContiguousArray(repeating: 0, count: 2 * chromaStride)
    v = u
  }

  init(copying other: FancyUpsampler) {
    width = other.width
    height = other.height
    chromaWidth = other.chromaWidth
    lumaStride = other.lumaStride
    chromaStride = other.chromaStride
    luma = other.luma
    alpha = other.alpha
    u = other.u
    v = other.v
  }

  /// Writes the next rows. Returns the total number of rows written, including earlier calls.
  func write(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha sourceAlpha: Span<UInt8>,
    through writer: inout PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    let rows = windowRows.rows
    for row in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
      storeChroma(source, windowRows, row)
      if row == 0 {
        write(RowPair(top: 0, bottom: 0), source, windowRows, sourceAlpha, through: &writer, into: &pixels)
      } else if row > rows.lowerBound {
        write(RowPair(top: row - 1, bottom: row), source, windowRows, sourceAlpha, through: &writer, into: &pixels)
      } else {
        storeLuma(source, windowRows, sourceAlpha, row)
        let stored = RowPair(top: lumaStride, bottom: 0)
        let pair = RowPair(top: row - 1, bottom: row)
        writer.write(
          luma: luma.span, at: stored, alpha: alpha.span, at: stored, u: u.span, v: v.span,
          at: chromaOffsets(for: pair), rows: pair, into: &pixels)
      }
    }
    let last = rows.upperBound - 1
    guard rows.upperBound == height else {
      storeLuma(source, windowRows, sourceAlpha, last)
      return last
    }
    if last & 1 == 1 {
      write(RowPair(top: last, bottom: last), source, windowRows, sourceAlpha, through: &writer, into: &pixels)
    }
    return height
  }

  /// Writes two rows that are both in `source`.
  private func write(
    _ pair: RowPair, _ source: borrowing YUVRows, _ windowRows: WindowRows, _ sourceAlpha: Span<UInt8>,
    through writer: inout PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    let (u, v) = (u, v)
    writer.write(
      luma: source.luma.span, at: RowPair(top: windowRows.luma(pair.top), bottom: windowRows.luma(pair.bottom)),
      alpha: sourceAlpha, at: RowPair(top: windowRows.alpha(pair.top), bottom: windowRows.alpha(pair.bottom)),
      u: u.span, v: v.span, at: chromaOffsets(for: pair), rows: pair, into: &pixels)
  }

  /// The offsets of the stored chroma rows above and below a pair of luma rows.
  private func chromaOffsets(for pair: RowPair) -> RowPair {
    RowPair(top: (pair.top / 2 & 1) * chromaStride, bottom: (pair.bottom / 2 & 1) * chromaStride)
  }

  private func storeLuma(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, _ sourceAlpha: Span<UInt8>, _ row: Int
  ) {
    let offset = (row & 1) * lumaStride
    luma.copy(width, from: source.luma.span, at: windowRows.luma(row), to: offset)
    guard !sourceAlpha.isEmpty else { return }
    if alpha.isEmpty { alpha = ContiguousArray(repeating: 255, count: 2 * lumaStride) }
    alpha.copy(width, from: sourceAlpha, at: windowRows.alpha(row), to: offset)
  }

  private func storeChroma(_ source: borrowing YUVRows, _ windowRows: WindowRows, _ row: Int) {
    let offset = (row / 2 & 1) * chromaStride
    let end = offset + chromaWidth
    u.copy(chromaWidth, from: source.u.span, at: windowRows.chroma(row), to: offset)
    u[end] = u[end - 1]
    v.copy(chromaWidth, from: source.v.span, at: windowRows.chroma(row), to: offset)
    v[end] = v[end - 1]
  }
}
