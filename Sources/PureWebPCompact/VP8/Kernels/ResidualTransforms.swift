// The inverse transforms (RFC 6386, section 14): one transform for all blocks, with 32-bit numbers.
//
// Unsafe code: Preconditions check the column, and that there are 400 coefficients. Planes have a constant number of
// lines above the macroblocks, and 64 bytes of slack. Offsets depend only on the column.
// Plain formula: `PlainVP8.wrappingInverseDCT` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The inverse Walsh-Hadamard transform (RFC 6386, section 14.3) of the Y2 block. Its outputs are the DCs of the luma
/// blocks after it.
@inline(never)
func inverseWHT(_ coefficients: Coefficients) {
  unsafe coefficients[0] &+= 3  // for rounding: the DC is a term of every sum
  for pass in 0..<rounds(2) {
    let step = pass == 0 ? 4 : 1
    for i in 0..<rounds(4) {
      let p = unsafe coefficients + i &* (5 &- step)
      let (i0, i1, i2, i3) = unsafe (p[0], p[step], p[2 &* step], p[3 &* step])
      let (a0, a1, a2, a3) = (i0 &+ i3, i1 &+ i2, i1 &- i2, i0 &- i3)
      unsafe p[0] = a0 &+ a1
      unsafe p[step] = a3 &+ a2
      unsafe p[2 &* step] = a0 &- a1
      unsafe p[3 &* step] = a3 &- a2
    }
  }
  for block in 0..<rounds(16) {
    unsafe coefficients[16 &* (block &+ 1)] = Int32(Int16(truncatingIfNeeded: coefficients[block] &>> 3))
  }
}

private typealias Row = SIMD4<Int32>

/// Adds the residual of a block (sections 14.4 and 14.5).
///
/// In valid files no sum overflows, and all methods of computation have the same result. In corrupt files, as in
/// libwebp, the sums of `full` blocks wrap to 16 bits after the first pass and after the second. The sums of other
/// blocks are exact.
@inline(never)
func addResidual(_ extent: UInt32, _ block: UnsafeMutableRawPointer, to plane: UnsafeMutableRawPointer, stride: Int) {
  let rows = unsafe block.assumingMemoryBound(to: Row.self)
  var (r0, r1, r2, r3) = unsafe (rows[0], rows[1], rows[2], rows[3])
  r0[0] &+= 4  // for rounding: the DC is a term of every sum
  if extent == BlockExtent.dcOnly {
    r0 = Row(repeating: r0[0])
    (r1, r2, r3) = (r0, r0, r0)
  } else {
    for _ in 0..<2 {
      let (a, b) = (r0 &+ r2, r0 &- r2)
      let (c, d) = (sine(r1) &- cosine(r3), cosine(r1) &+ sine(r3))
      (r0, r1, r2, r3) = (a &+ d, b &+ c, b &- c, a &- d)
      if extent == BlockExtent.full { (r0, r1, r2, r3) = (r0.wrapped, r1.wrapped, r2.wrapped, r3.wrapped) }
      // Two of these steps transpose the rows.
      for _ in 0..<2 {
        (r0, r1, r2, r3) = (
          r0.interleavedLow(r2), r0.interleavedHigh(r2), r1.interleavedLow(r3), r1.interleavedHigh(r3)
        )
      }
    }
  }
  @inline(__always) func line(_ y: Int) -> UInt32 {
    unsafe plane.loadUnaligned(fromByteOffset: y &* stride, as: UInt32.self)
  }
  @inline(__always) func twoLines(_ y: Int, _ upper: Row, _ lower: Row) -> SignedWords {
    cast(SIMD4(line(y), line(y &+ 1), 0, 0), as: Bytes.self).widenedLow &+ (upper &>> 3).narrowed(lower &>> 3)
  }
  let lines = cast(twoLines(0, r0, r1).narrowed(twoLines(2, r2, r3)), as: SIMD4<UInt32>.self)
  for y in 0..<4 { unsafe plane.storeBytes(of: lines[y], toByteOffset: y &* stride, as: UInt32.self) }
}

/// √2 · cos(π/8) · x and √2 · sin(π/8) · x, by factors with 16 fractional bits.
@inline(__always)
private func cosine(_ x: Row) -> Row { (x &* Row(repeating: 20091)) &>> 16 &+ x }

@inline(__always)
private func sine(_ x: Row) -> Row { (x &* Row(repeating: 35468)) &>> 16 }

extension SIMD4<Int32> {
  @inline(__always)
  fileprivate func interleavedLow(_ b: Self) -> Self { Self(self[0], b[0], self[1], b[1]) }

  @inline(__always)
  fileprivate func interleavedHigh(_ b: Self) -> Self { Self(self[2], b[2], self[3], b[3]) }

  /// The lowest 16 bits of each number, with the sign extended.
  @inline(__always)
  fileprivate var wrapped: Self { (self &<< 16) &>> 16 }
}
