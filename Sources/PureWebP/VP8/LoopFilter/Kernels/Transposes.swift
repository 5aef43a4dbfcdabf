// Loads and stores columns of a plane as vectors. The filters of vertical edges use them.
//
// Each stage of a transposition interleaves lanes of twice the width of the previous stage: bytes, words, double words.
// The compiler recognizes the interleaving instructions only if the lanes have these widths.
//
// Rows are loaded and stored in the widths that the filters of horizontal edges use, because a processor forwards
// stored bytes to a load only if they were written by one store.
//
// Unsafe code: Preconditions check the rows that the loop filter reads and writes: eight columns or rows on each
// side of an edge. These always exist, because the edges at the border of the image are not filtered.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

typealias FourColumns = (Bytes, Bytes, Bytes, Bytes)
typealias EightColumns = (Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes)

// MARK: Four columns

/// Writes four columns to sixteen rows.
@inline(__always)
func storeFourColumns(
  _ columns: FourColumns, _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int
) {
  let (c0, c1, c2, c3) = columns
  @inline(__always) func store(_ c01: Bytes, _ c23: Bytes, _ plane: UnsafeMutableRawPointer) {
    let (c01, c23) = (cast(c01, as: Words.self), cast(c23, as: Words.self))
    let rows0123 = cast(c01.interleavedLow(c23), as: SIMD4<UInt32>.self)
    let rows4567 = cast(c01.interleavedHigh(c23), as: SIMD4<UInt32>.self)
    for y in 0..<4 {
      unsafe plane.storeBytes(of: rows0123[y], toByteOffset: y &* stride, as: UInt32.self)
      unsafe plane.storeBytes(of: rows4567[y], toByteOffset: (y &+ 4) &* stride, as: UInt32.self)
    }
  }
  unsafe store(c0.interleavedLow(c1), c2.interleavedLow(c3), upper)
  unsafe store(c0.interleavedHigh(c1), c2.interleavedHigh(c3), lower)
}

// MARK: Eight columns

/// Reads eight columns of sixteen rows. The rows are two groups of eight, each with its own start.
@inline(__always)
func loadEightColumns(_ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, stride: Int) -> EightColumns {
  @inline(__always) func rows(_ plane: UnsafeRawPointer, _ y: Int) -> Words {
    let first = unsafe plane.loadUnaligned(fromByteOffset: y &* stride, as: SIMD8<UInt8>.self)
    let second = unsafe plane.loadUnaligned(fromByteOffset: (y &+ 1) &* stride, as: SIMD8<UInt8>.self)
    return cast(first.interleaved(second), as: Words.self)
  }
  return unsafe joined(
    transposed(rows(upper, 0), rows(upper, 2), rows(upper, 4), rows(upper, 6)),
    transposed(rows(lower, 0), rows(lower, 2), rows(lower, 4), rows(lower, 6)))
}

/// Writes eight columns to sixteen rows.
@inline(__always)
func storeEightColumns(
  _ columns: EightColumns, _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int
) {
  @inline(__always) func store(_ rows: SIMD2<UInt64>, _ plane: UnsafeMutableRawPointer, _ y: Int) {
    unsafe plane.storeBytes(of: rows[0], toByteOffset: y &* stride, as: UInt64.self)
    unsafe plane.storeBytes(of: rows[1], toByteOffset: (y &+ 1) &* stride, as: UInt64.self)
  }
  let (a, b) = (upperRows(columns), lowerRows(columns))
  unsafe store(a.0, upper, 0)
  unsafe store(a.1, upper, 2)
  unsafe store(a.2, upper, 4)
  unsafe store(a.3, upper, 6)
  unsafe store(b.0, lower, 0)
  unsafe store(b.1, lower, 2)
  unsafe store(b.2, lower, 4)
  unsafe store(b.3, lower, 6)
}

// MARK: Sixteen columns

/// Reads sixteen columns of sixteen rows.
@inline(__always)
func loadSixteenColumns(_ plane: UnsafeRawPointer, stride: Int) -> (left: EightColumns, right: EightColumns) {
  @inline(__always) func rows(_ y: Int) -> (left: Words, right: Words) {
    let first = unsafe plane.loadUnaligned(fromByteOffset: y &* stride, as: Bytes.self)
    let second = unsafe plane.loadUnaligned(fromByteOffset: (y &+ 1) &* stride, as: Bytes.self)
    return (cast(first.interleavedLow(second), as: Words.self), cast(first.interleavedHigh(second), as: Words.self))
  }
  let (a, b, c, d) = (rows(0), rows(2), rows(4), rows(6))
  let (e, f, g, h) = (rows(8), rows(10), rows(12), rows(14))
  return (
    joined(transposed(a.left, b.left, c.left, d.left), transposed(e.left, f.left, g.left, h.left)),
    joined(transposed(a.right, b.right, c.right, d.right), transposed(e.right, f.right, g.right, h.right))
  )
}

/// Writes sixteen columns to sixteen rows.
@inline(__always)
func storeSixteenColumns(
  _ left: EightColumns, _ right: EightColumns, _ plane: UnsafeMutableRawPointer, stride: Int
) {
  @inline(__always) func store(_ left: SIMD2<UInt64>, _ right: SIMD2<UInt64>, _ y: Int) {
    unsafe plane.storeBytes(
      of: left.interleavedLow(right), toByteOffset: y &* stride, as: SIMD2<UInt64>.self)
    unsafe plane.storeBytes(
      of: left.interleavedHigh(right), toByteOffset: (y &+ 1) &* stride, as: SIMD2<UInt64>.self)
  }
  let (a, b) = (upperRows(left), upperRows(right))
  store(a.0, b.0, 0)
  store(a.1, b.1, 2)
  store(a.2, b.2, 4)
  store(a.3, b.3, 6)
  let (c, d) = (lowerRows(left), lowerRows(right))
  store(c.0, d.0, 8)
  store(c.1, d.1, 10)
  store(c.2, d.2, 12)
  store(c.3, d.3, 14)
}

// MARK: Stages

/// Eight rows or columns of eight pixels, two in each vector.
private typealias Pairs = (SIMD2<UInt64>, SIMD2<UInt64>, SIMD2<UInt64>, SIMD2<UInt64>)

/// Transposes vectors in which the pixels of two neighboring rows or columns alternate.
@inline(__always)
private func transposed(_ v01: Words, _ v23: Words, _ v45: Words, _ v67: Words) -> Pairs {
  let (low, high) = (doubleWords(v01.interleavedLow(v23)), doubleWords(v01.interleavedHigh(v23)))
  let (lowNext, highNext) = (doubleWords(v45.interleavedLow(v67)), doubleWords(v45.interleavedHigh(v67)))
  return (
    quadWords(low.interleavedLow(lowNext)), quadWords(low.interleavedHigh(lowNext)),
    quadWords(high.interleavedLow(highNext)), quadWords(high.interleavedHigh(highNext))
  )
}

/// Joins the columns of the upper and of the lower eight rows to columns of sixteen pixels.
@inline(__always)
private func joined(_ a: Pairs, _ b: Pairs) -> EightColumns {
  (
    a.0.interleavedLow(b.0).asBytes, a.0.interleavedHigh(b.0).asBytes,
    a.1.interleavedLow(b.1).asBytes, a.1.interleavedHigh(b.1).asBytes,
    a.2.interleavedLow(b.2).asBytes, a.2.interleavedHigh(b.2).asBytes,
    a.3.interleavedLow(b.3).asBytes, a.3.interleavedHigh(b.3).asBytes
  )
}

@inline(__always)
private func upperRows(_ c: EightColumns) -> Pairs {
  transposed(
    cast(c.0.interleavedLow(c.1), as: Words.self), cast(c.2.interleavedLow(c.3), as: Words.self),
    cast(c.4.interleavedLow(c.5), as: Words.self), cast(c.6.interleavedLow(c.7), as: Words.self))
}

@inline(__always)
private func lowerRows(_ c: EightColumns) -> Pairs {
  transposed(
    cast(c.0.interleavedHigh(c.1), as: Words.self), cast(c.2.interleavedHigh(c.3), as: Words.self),
    cast(c.4.interleavedHigh(c.5), as: Words.self), cast(c.6.interleavedHigh(c.7), as: Words.self))
}

@inline(__always)
private func doubleWords(_ words: Words) -> SIMD4<UInt32> { cast(words, as: SIMD4<UInt32>.self) }

@inline(__always)
private func quadWords(_ doubleWords: SIMD4<UInt32>) -> SIMD2<UInt64> { cast(doubleWords, as: SIMD2<UInt64>.self) }

extension SIMD2<UInt64> {
  @inline(__always)
  fileprivate var asBytes: Bytes { cast(self, as: Bytes.self) }
}
