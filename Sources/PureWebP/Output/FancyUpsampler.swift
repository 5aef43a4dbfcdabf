internal import WebPFormat

/// Converts lossy rows to packed formats with fancy upsampling (see Upsampling.swift).
///
/// Luma row 2j − 1 needs chroma row j, which arrives with luma row 2j. Therefore the last row of a batch is deferred
/// until the next batch, whose first row is copied next to it:
///
///     rows    ├ luma: deferred ┼ luma: first ┼ u: deferred ┼ u: first ┼ v: deferred ┼ v: first ┤    slack after each
struct FancyUpsampler {
  private let width: Int
  private let height: Int
  private let lumaStride: Int
  private let chromaStride: Int
  private var rows: ContiguousArray<UInt8>
  /// The alpha of the two rows. Empty while the image is opaque.
  private var alpha: ContiguousArray<UInt8> = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    lumaStride = width + blockSlack
    chromaStride = (width + 1) / 2 + blockSlack
    rows = ContiguousArray(filledWith: 0, count: 2 * lumaStride + 4 * chromaStride)
  }

  /// Writes the next rows. Returns the total number of rows written, including earlier calls.
  mutating func write(
    _ source: borrowing YUVRows, _ windowRows: WindowRows, alpha sourceAlpha: Span<UInt8>,
    through writer: inout PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) -> Int {
    let range = windowRows.rows
    for row in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
      if row == 0 || row > range.lowerBound {
        let pair = RowPair(top: max(0, row - 1), bottom: row)
        write(pair, source, windowRows, sourceAlpha, through: &writer, into: &pixels)
      } else {
        store(row, of: source, windowRows, sourceAlpha, at: 1)
        writeStored(RowPair(top: row - 1, bottom: row), through: &writer, into: &pixels)
      }
    }
    let last = range.upperBound - 1
    guard range.upperBound == height else {
      store(last, of: source, windowRows, sourceAlpha, at: 0)
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
    let (luma, u, v) = (source.luma, source.u, source.v)
    writer.write(pair, isOpaque: sourceAlpha.isEmpty, into: &pixels) { output, positions, order in
      upsampleRowPair(
        luma: luma.span, at: RowPair(top: windowRows.luma(pair.top), bottom: windowRows.luma(pair.bottom)),
        alpha: sourceAlpha, at: RowPair(top: windowRows.alpha(pair.top), bottom: windowRows.alpha(pair.bottom)),
        u: u.span, v: v.span, at: RowPair(top: windowRows.chroma(pair.top), bottom: windowRows.chroma(pair.bottom)),
        into: &output, at: positions, width: width, order: order)
    }
  }

  /// Writes the deferred row and the first row of a batch.
  private func writeStored(
    _ pair: RowPair, through writer: inout PackedWriter, into pixels: inout MutableSpan<UInt8>
  ) {
    let luma = RowPair(top: 0, bottom: lumaStride)
    writer.write(pair, isOpaque: alpha.isEmpty, into: &pixels) { output, positions, order in
      upsampleRowPair(
        luma: rows.span, at: luma, alpha: alpha.span, at: luma, u: rows.span.extracting((2 * lumaStride)...),
        v: rows.span.extracting((2 * lumaStride + 2 * chromaStride)...), at: RowPair(top: 0, bottom: chromaStride),
        into: &output, at: positions, width: width, order: order)
    }
  }

  /// Copies a row, with its row of chroma.
  ///
  /// - Parameter index: 0 for a deferred row, 1 for the first row of a batch.
  private mutating func store(
    _ row: Int, of source: borrowing YUVRows, _ windowRows: WindowRows, _ sourceAlpha: Span<UInt8>, at index: Int
  ) {
    let (width, chromaWidth, luma) = (width, (width + 1) / 2, index * lumaStride)
    let (u, v) = (2 * lumaStride + index * chromaStride, 2 * lumaStride + (2 + index) * chromaStride)
    var rows = rows.mutableSpan
    rows.copy(width, from: source.luma.span, at: windowRows.luma(row), to: luma)
    rows.copy(chromaWidth, from: source.u.span, at: windowRows.chroma(row), to: u)
    rows.copy(chromaWidth, from: source.v.span, at: windowRows.chroma(row), to: v)
    guard !sourceAlpha.isEmpty else { return }
    if alpha.isEmpty { alpha = ContiguousArray(filledWith: 255, count: 2 * lumaStride) }
    alpha.copy(width, from: sourceAlpha, at: windowRows.alpha(row), to: luma)
  }
}
