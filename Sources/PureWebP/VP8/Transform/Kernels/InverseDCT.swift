// The inverse DCT of RFC 6386, section 14.4.
//
// In valid files no sum overflows, and all methods of computation have the same result. In corrupt files sums overflow,
// so the result depends on the arithmetic. This is the arithmetic of libwebp on x86-64:
//
//     complete blocks         sums wrap to 16 bits after the first pass and after the second
//     DC only, short form     sums are exact
//
// In nearly all macroblocks, no sum can overflow. Then all blocks use the complete transform, two at a time, because
// the extent of a block is hard to predict, and a misprediction costs more than a transform.
//
// Coefficients are dequantized when they are loaded.
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.wrappingInverseDCT` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The residual of a 4 × 4 block, as two rows in each vector.
struct Residual {
  var rows01: SignedWords
  var rows23: SignedWords

  /// The residual of a block with the given extent.
  @inline(__always)
  init(_ extent: UInt32, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors) {
    switch extent {
    case BlockExtent.short: unsafe self.init(short: coefficients, factors)
    case BlockExtent.full: self = unsafe Self.pair(full: coefficients, coefficients, factors).left
    default: unsafe self.init(dc: Self.dc(extent, coefficients, factors))
    }
  }

  /// The residuals of two consecutive blocks, whose extents are the low and the high half of `extents`.
  ///
  /// - Parameter neverOverflows: no sum can exceed 16 bits, and the coefficients of empty blocks are zeros.
  @inline(__always)
  static func pair(
    _ extents: UInt32, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors, neverOverflows: Bool
  ) -> (left: Self, right: Self) {
    let next = unsafe coefficients + 16
    if neverOverflows || extents == BlockExtent.full | BlockExtent.full &<< 2 {
      return unsafe pair(full: coefficients, next, factors)
    }
    return unsafe (Self(extents & 3, coefficients, factors), Self(extents &>> 2, next, factors))
  }

  /// The dequantized DC of a block whose extent is `dcOnly`, or 0 if it is `empty`. Branch-free, because the extent is
  /// hard to predict.
  @inline(__always)
  static func dc(_ extent: UInt32, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors) -> Int16 {
    unsafe (coefficients[0] &* factors.dc) & (0 &- Int16(truncatingIfNeeded: extent))
  }

  /// The residual of a block with only a DC.
  @inline(__always)
  init(dc: Int16) {
    rows01 = SignedWords(repeating: Self.scaled(dc))
    rows23 = rows01
  }

  /// The residual of one row of two adjacent blocks with only DCs.
  @inline(__always)
  static func rowOfTwo(dc left: Int16, _ right: Int16) -> SignedWords {
    SignedWords(lowHalf: SIMD4(repeating: scaled(left)), highHalf: SIMD4(repeating: scaled(right)))
  }

  @inline(__always)
  private static func scaled(_ dc: Int16) -> Int16 { Int16(truncatingIfNeeded: (Int32(dc) &+ 4) &>> 3) }

  /// The residual of a block whose coefficients are at positions 0, 1 and 4. The first pass yields one column; the
  /// second yields rows that differ by a constant.
  @inline(__always)
  init(short coefficients: UnsafePointer<Int16>, _ factors: BlockFactors) {
    let dc = unsafe Int32(coefficients[0] &* factors.dc) &+ 4
    let across = unsafe Int32(coefficients[1] &* factors.ac)
    let down = unsafe Int32(coefficients[4] &* factors.ac)
    let c = sine(across)
    let d = cosine(across)
    let row = SIMD4<Int32>(d, c, 0 &- c, 0 &- d)
    let c4 = sine(down)
    let d4 = cosine(down)
    // ⌊sum / 8⌋, written so that the compiler recognizes a 16-bit result.
    @inline(__always) func scaled(_ offset: Int32) -> SIMD4<Int32> {
      ((row &+ SIMD4(repeating: dc &+ offset)) &<< 13) &>> 16
    }
    rows01 = scaled(d4).narrowed(scaled(c4))
    rows23 = scaled(0 &- c4).narrowed(scaled(0 &- d4))
  }

  /// The residuals of two complete blocks, for little more than the cost of one.
  @inline(__always)
  static func pair(
    full left: UnsafePointer<Int16>, _ right: UnsafePointer<Int16>, _ factors: BlockFactors
  ) -> (left: Self, right: Self) {
    let columns = unsafe butterfly(
      row(left, 0, right) &* factors.firstRows, row(left, 4, right) &* factors.otherRows,
      row(left, 8, right) &* factors.otherRows, row(left, 12, right) &* factors.otherRows)
    let x = transposed(columns)
    let rows = butterfly(x.0 &+ SignedWords(repeating: 4), x.1, x.2, x.3)
    let left01 = rows.0.interleavedLow(rows.1)
    let left23 = rows.2.interleavedLow(rows.3)
    let right01 = rows.0.interleavedHigh(rows.1)
    let right23 = rows.2.interleavedHigh(rows.3)
    return (
      Self(left01.interleavedLow32(left23) &>> 3, left01.interleavedHigh32(left23) &>> 3),
      Self(right01.interleavedLow32(right23) &>> 3, right01.interleavedHigh32(right23) &>> 3)
    )
  }

  @inline(__always)
  private init(_ rows01: SignedWords, _ rows23: SignedWords) {
    self.rows01 = rows01
    self.rows23 = rows23
  }
}

// MARK: One dimension

/// √2 · cos(π/8) − 1 and √2 · sin(π/8) with 16 fractional bits. The input is added to its product with the first
/// constant. Vectors multiply signed 16-bit numbers, and the second constant is too large for one. Therefore they
/// multiply by √2 · sin(π/8) − 1, and add the input too.
private let cosineFraction: Int32 = 20091
private let sineFraction: Int32 = 35468

@inline(__always)
private func cosine(_ x: Int32) -> Int32 { ((x &* cosineFraction) &>> 16) &+ x }

@inline(__always)
private func sine(_ x: Int32) -> Int32 { (x &* sineFraction) &>> 16 }

/// A pass of the inverse DCT over eight columns.
@inline(__always)
private func butterfly(
  _ i0: SignedWords, _ i1: SignedWords, _ i2: SignedWords, _ i3: SignedWords
) -> (SignedWords, SignedWords, SignedWords, SignedWords) {
  let a = i0 &+ i2
  let b = i0 &- i2
  let sine = sineFraction &- 65536
  let c = (i1 &- i3) &+ (i1.multipliedHigh(sine) &- i3.multipliedHigh(cosineFraction))
  let d = (i1 &+ i3) &+ (i1.multipliedHigh(cosineFraction) &+ i3.multipliedHigh(sine))
  return (a &+ d, b &+ c, b &- c, a &- d)
}

// MARK: Loads and transposes

/// Four coefficients of each of two blocks.
@inline(__always)
private func row(_ left: UnsafePointer<Int16>, _ offset: Int, _ right: UnsafePointer<Int16>) -> SignedWords {
  SignedWords(lowHalf: unsafe fourCoefficients(left, at: offset), highHalf: unsafe fourCoefficients(right, at: offset))
}

/// Transposes two adjacent 4 × 4 blocks.
@inline(__always)
private func transposed(
  _ rows: (SignedWords, SignedWords, SignedWords, SignedWords)
) -> (SignedWords, SignedWords, SignedWords, SignedWords) {
  let left01 = rows.0.interleavedLow(rows.1)
  let left23 = rows.2.interleavedLow(rows.3)
  let right01 = rows.0.interleavedHigh(rows.1)
  let right23 = rows.2.interleavedHigh(rows.3)
  let l0 = left01.interleavedLow32(left23)
  let l2 = left01.interleavedHigh32(left23)
  let r0 = right01.interleavedLow32(right23)
  let r2 = right01.interleavedHigh32(right23)
  return (l0.interleavedLow64(r0), l0.interleavedHigh64(r0), l2.interleavedLow64(r2), l2.interleavedHigh64(r2))
}

/// Four coefficients from `offset` on.
@inline(__always)
func fourCoefficients(_ coefficients: UnsafePointer<Int16>, at offset: Int) -> SIMD4<Int16> {
  unsafe UnsafeRawPointer(coefficients).loadUnaligned(fromByteOffset: offset &* 2, as: SIMD4<Int16>.self)
}
