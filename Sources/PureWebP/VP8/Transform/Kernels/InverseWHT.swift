// The inverse Walsh-Hadamard transform of RFC 6386, section 14.3.
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.inverseWHT` in Tests/PureWebPTests/Reference/PlainVP8.swift.

/// The inverse Walsh-Hadamard transform of the Y2 block. Its outputs are the DCs of the 16 luma blocks, which are
/// stored 16 coefficients apart.
///
/// - Returns: a mask of the DCs that are not 0. Bit 0 is the first block.
@inline(__always)
func inverseWHT(
  _ y2: UnsafePointer<Int16>, _ factors: BlockFactors, into luma: UnsafeMutablePointer<Int16>
) -> UInt32 {
  // The products wrap to 16 bits, so the sums of sixteen of them are within ±2²⁰.
  let i0 = unsafe SIMD4<Int32>(truncatingIfNeeded: fourCoefficients(y2, at: 0) &* factors.firstRows.lowHalf)
  let i1 = unsafe SIMD4<Int32>(truncatingIfNeeded: fourCoefficients(y2, at: 4) &* factors.otherRows.lowHalf)
  let i2 = unsafe SIMD4<Int32>(truncatingIfNeeded: fourCoefficients(y2, at: 8) &* factors.otherRows.lowHalf)
  let i3 = unsafe SIMD4<Int32>(truncatingIfNeeded: fourCoefficients(y2, at: 12) &* factors.otherRows.lowHalf)
  let a0 = i0 &+ i3
  let a1 = i1 &+ i2
  let a2 = i1 &- i2
  let a3 = i0 &- i3
  let (t0, t1, t2, t3) = transposed((a0 &+ a1, a3 &+ a2, a0 &- a1, a3 &- a2))
  let dc = t0 &+ 3
  let b0 = dc &+ t3
  let b1 = t1 &+ t2
  let b2 = t1 &- t2
  let b3 = dc &- t3
  let columns = ((b0 &+ b1) &>> 3, (b3 &+ b2) &>> 3, (b0 &- b1) &>> 3, (b3 &- b2) &>> 3)
  var nonzero: UInt32 = 0
  for i in 0..<4 {
    @inline(__always) func store(_ value: Int32, _ block: Int) {
      let dc = Int16(truncatingIfNeeded: value)
      unsafe luma[block &* 16] = dc
      nonzero |= (dc != 0 ? 1 : 0) &<< UInt32(truncatingIfNeeded: block)
    }
    store(columns.0[i], i &* 4)
    store(columns.1[i], i &* 4 &+ 1)
    store(columns.2[i], i &* 4 &+ 2)
    store(columns.3[i], i &* 4 &+ 3)
  }
  return nonzero
}

@inline(__always)
private func transposed(
  _ rows: (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>)
) -> (SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>, SIMD4<Int32>) {
  let (a, b, c, d) = rows
  return (
    SIMD4(a[0], b[0], c[0], d[0]), SIMD4(a[1], b[1], c[1], d[1]),
    SIMD4(a[2], b[2], c[2], d[2]), SIMD4(a[3], b[3], c[3], d[3])
  )
}
