// Columns of a plane as vectors, for edges that run downwards.
//
// Each stage of a transposition works on lanes of twice the width: pairs of bytes, then of words, then of double words.
// The compiler then finds the interleaving instructions again; on lanes of one width it would lose its way.

/// Eight columns of sixteen pixels.
typealias Columns = (Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes)

/// Reads eight columns of sixteen rows. The rows are two groups of eight, each with its own start.
@inline(__always)
func loadColumns(_ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, stride: Int) -> Columns {
  @inline(__always) func rows(_ plane: UnsafeRawPointer, _ y: Int) -> Words {
    let first = unsafe plane.loadUnaligned(fromByteOffset: y &* stride, as: SIMD8<UInt8>.self)
    let second = unsafe plane.loadUnaligned(fromByteOffset: (y &+ 1) &* stride, as: SIMD8<UInt8>.self)
    return bits(first.interleaved(second), as: Words.self)
  }
  let a = unsafe eightRows(rows(upper, 0), rows(upper, 2), rows(upper, 4), rows(upper, 6))
  let b = unsafe eightRows(rows(lower, 0), rows(lower, 2), rows(lower, 4), rows(lower, 6))
  return (
    bits(a.0.interleavedLow(b.0), as: Bytes.self), bits(a.0.interleavedHigh(b.0), as: Bytes.self),
    bits(a.1.interleavedLow(b.1), as: Bytes.self), bits(a.1.interleavedHigh(b.1), as: Bytes.self),
    bits(a.2.interleavedLow(b.2), as: Bytes.self), bits(a.2.interleavedHigh(b.2), as: Bytes.self),
    bits(a.3.interleavedLow(b.3), as: Bytes.self), bits(a.3.interleavedHigh(b.3), as: Bytes.self)
  )
}

/// Eight columns of eight pixels, two in each vector, from the rows interleaved by two.
@inline(__always)
private func eightRows(
  _ r01: Words, _ r23: Words, _ r45: Words, _ r67: Words
) -> (SIMD2<UInt64>, SIMD2<UInt64>, SIMD2<UInt64>, SIMD2<UInt64>) {
  @inline(__always) func wide(_ words: Words) -> SIMD4<UInt32> { bits(words, as: SIMD4<UInt32>.self) }
  @inline(__always) func wider(_ words: SIMD4<UInt32>) -> SIMD2<UInt64> { bits(words, as: SIMD2<UInt64>.self) }
  let upperLow = wide(r01.interleavedLow(r23))
  let upperHigh = wide(r01.interleavedHigh(r23))
  let lowerLow = wide(r45.interleavedLow(r67))
  let lowerHigh = wide(r45.interleavedHigh(r67))
  return (
    wider(upperLow.interleavedLow(lowerLow)), wider(upperLow.interleavedHigh(lowerLow)),
    wider(upperHigh.interleavedLow(lowerHigh)), wider(upperHigh.interleavedHigh(lowerHigh))
  )
}

/// Writes eight columns to sixteen rows.
@inline(__always)
func storeColumns(
  _ columns: Columns, _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer, stride: Int
) {
  let (c0, c1, c2, c3, c4, c5, c6, c7) = columns
  unsafe storeEightRows(
    c0.interleavedLow(c1), c2.interleavedLow(c3), c4.interleavedLow(c5), c6.interleavedLow(c7), upper, stride: stride)
  unsafe storeEightRows(
    c0.interleavedHigh(c1), c2.interleavedHigh(c3), c4.interleavedHigh(c5), c6.interleavedHigh(c7), lower,
    stride: stride)
}

/// Writes eight rows, given as pairs of columns.
@inline(__always)
private func storeEightRows(
  _ c01: Bytes, _ c23: Bytes, _ c45: Bytes, _ c67: Bytes, _ plane: UnsafeMutableRawPointer, stride: Int
) {
  @inline(__always) func words(_ bytes: Bytes) -> Words { bits(bytes, as: Words.self) }
  @inline(__always) func wide(_ words: Words) -> SIMD4<UInt32> { bits(words, as: SIMD4<UInt32>.self) }
  let leftLow = wide(words(c01).interleavedLow(words(c23)))
  let leftHigh = wide(words(c01).interleavedHigh(words(c23)))
  let rightLow = wide(words(c45).interleavedLow(words(c67)))
  let rightHigh = wide(words(c45).interleavedHigh(words(c67)))
  @inline(__always) func store(_ rows: SIMD4<UInt32>, _ y: Int) {
    let halves = bits(rows, as: SIMD2<UInt64>.self)
    unsafe plane.storeBytes(of: halves[0], toByteOffset: y &* stride, as: UInt64.self)
    unsafe plane.storeBytes(of: halves[1], toByteOffset: (y &+ 1) &* stride, as: UInt64.self)
  }
  store(leftLow.interleavedLow(rightLow), 0)
  store(leftLow.interleavedHigh(rightLow), 2)
  store(leftHigh.interleavedLow(rightHigh), 4)
  store(leftHigh.interleavedHigh(rightHigh), 6)
}
