// Row-by-row scaling with libwebp's rescaler, with equal results.
//
// Each direction is scaled separately, with a counter as in Bresenham's line algorithm. If a side shrinks or stays the
// same, an output is the mean of the samples that it covers. Sample k of n covers k/n ..< (k + 1)/n, and the samples at
// both ends contribute in part:
//
//     source   ├────┼────┼────┼────┼────┤     5
//     output   ├────────┼───────┼───────┤     3
//
// If a side grows, the outermost samples of both coincide, and the samples between them are interpolated:
//
//     source   0         1         2         3
//     output   0       1       2       3       4 …
//
// Fractions are stored as multiples of 2⁻³², so a fraction of 1 wraps around to 0, as in libwebp. Therefore a plane
// that is one sample wide becomes black if its height grows and its new width is at most two.

internal import WebPFormat

/// Scales a plane or interleaved channels. Rows are imported until a row can be exported.
struct Rescaler {
  private let sourceWidth: Int
  private let width: Int
  private let height: Int
  private let channels: Int
  /// The amounts that the counter of a row's samples gains and loses. If the width grows, the counter gains `add` with
  /// each source sample and loses `sub` with each output. Otherwise the opposite is the case.
  private let x: Steps
  /// The amounts that `counter` gains with each output row, and loses with each source row.
  private let y: Steps
  private let rowScale: UInt32
  /// The factor from a sum to a sample, times 2³². If the height does not grow, 0 means that each sum is a single
  /// sample.
  private let exportScale: UInt32
  /// 2³² / y.sub
  private let partScale: UInt32
  private var counter: Int
  private var exported = 0
  /// Two rows of sums, each followed by slack. The row that was imported last is at index `last`. If the height grows,
  /// the row before it is at index `other`. Otherwise the sum of the rows since the last export is at `other`. This sum
  /// includes the part of a row that the last export did not use.
  private var rows: ContiguousArray<UInt32>
  private var last: Int
  private var other = 0

  private struct Steps {
    let expands: Bool
    let add: Int
    let sub: Int
  }

  @inline(never)  // several callers
  init(width sourceWidth: Int, height sourceHeight: Int, to width: Int, _ height: Int, channels: Int) {
    self.sourceWidth = sourceWidth
    self.width = width
    self.height = height
    self.channels = channels
    x =
      sourceWidth < width
      ? Steps(expands: true, add: width - 1, sub: sourceWidth - 1)
      : Steps(expands: false, add: sourceWidth, sub: width)
    y =
      sourceHeight < height
      ? Steps(expands: true, add: sourceHeight - 1, sub: height - 1)
      : Steps(expands: false, add: sourceHeight, sub: height)
    rowScale = x.expands ? 0 : Self.fraction(1, x.sub)
    if y.expands {
      exportScale = Self.fraction(1, x.add)
      partScale = 0
    } else {
      exportScale = UInt32(exactly: UInt64(height) << 32 / (UInt64(x.add) * UInt64(y.add))) ?? 0
      partScale = Self.fraction(1, y.sub)
    }
    counter = y.expands ? y.sub : y.add
    last = width * channels + rescalingSlack
    rows = ContiguousArray(filledWith: 0, count: 2 * last)
  }

  /// Indicates whether a row can be exported. It must be exported before the next row is imported.
  var hasRow: Bool { counter <= 0 && exported < height }

  /// Imports the next row: a byte for each channel of each sample, from `offset` on.
  mutating func importRow(_ source: Span<UInt8>, at offset: Int) {
    if y.expands { swap(&last, &other) }
    counter -= y.sub
    if channels == 1 {
      importRow(UInt32.self, source, at: offset)
    } else {
      importRow(SIMD4<UInt32>.self, source, at: offset)
    }
  }

  private mutating func importRow<Sums: RescalerSums>(_: Sums.Type, _ source: Span<UInt8>, at offset: Int) {
    let (x, sourceWidth, width) = (x, sourceWidth, width)
    let (rowScale, last, other, isSummed) = (rowScale, last, other, !y.expands)
    var sums = rows.mutableSpan
    if x.expands {
      importRowExpanding(
        Sums.self, source, at: offset, sourceWidth: sourceWidth, add: x.add, sub: x.sub, into: &sums, at: last,
        width: width)
    } else {
      importRowShrinking(
        Sums.self, source, at: offset, sourceWidth: sourceWidth, add: x.add, sub: x.sub, scale: rowScale, into: &sums,
        at: last, width: width)
    }
    if isSummed { addRow(at: last, toRowAt: other, in: &sums, count: width * Sums.channels) }
  }

  /// Imports the next row from the start of `source`.
  mutating func importRow(_ source: borrowing ContiguousArray<UInt8>) { importRow(source.span, at: 0) }

  /// Exports a row to `output`, from `offset` on.
  mutating func exportRow(into output: inout MutableSpan<UInt8>, at offset: Int) {
    let count = width * channels
    let (y, exportScale, partScale, last, other) = (y, exportScale, partScale, last, other)
    let excess = -counter
    counter += y.add
    exported += 1
    var sums = rows.mutableSpan
    if y.expands {
      exportRowExpanding(
        &sums, previous: other, current: last, weight: Self.fraction(excess, y.sub), scale: exportScale,
        into: &output, at: offset, count: count)
    } else if exportScale != 0 {
      exportRowShrinking(
        &sums, total: other, last: last, part: partScale &* UInt32(truncatingIfNeeded: excess), scale: exportScale,
        into: &output, at: offset, count: count)
    } else {
      exportRowUnscaled(&sums, total: other, into: &output, at: offset, count: count)
    }
  }

  /// Exports a row to the start of `output`.
  mutating func exportRow(into output: inout ContiguousArray<UInt8>) {
    var span = output.mutableSpan
    exportRow(into: &span, at: 0)
  }

  /// 2³² · numerator / denominator, or 0 if that is 2³².
  private static func fraction(_ numerator: Int, _ denominator: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: UInt64(numerator) << 32 / UInt64(denominator))
  }
}
