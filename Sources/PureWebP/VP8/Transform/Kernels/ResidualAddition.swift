// Adds residuals to predictions (RFC 6386, section 14.5). Sums wrap to 16 bits and are then clamped to 0...255.
//
// Unsafe code: Preconditions check planes, strides, the rows above, and quantized coefficients for a complete row of
// macroblocks. Within the row, offsets depend only on the macroblock's column, never on the stream.
// Plain formula: `PlainVP8.sum` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

extension Residual {
  /// The sum of prediction and residual, clamped. Pixels are in raster order.
  @inline(__always)
  func added(to prediction: WideBlock) -> Bytes {
    (prediction.rows01 &+ rows01).narrowed(prediction.rows23 &+ rows23)
  }
}

/// The 16 pixels of a block as words: two rows in each vector.
struct WideBlock {
  let rows01: SignedWords
  let rows23: SignedWords

  @inline(__always)
  init(rows01: SignedWords, rows23: SignedWords) {
    self.rows01 = rows01
    self.rows23 = rows23
  }

  /// - Parameter pixels: in raster order.
  @inline(__always)
  init(_ pixels: Bytes) {
    rows01 = pixels.widenedLow
    rows23 = pixels.widenedHigh
  }
}

/// Adds the residuals of two blocks side by side, whose extents are the low and the high half of `extents`.
///
/// - Parameter neverOverflows: see `Residual.pair`.
@inline(never)
func addPair(
  _ extents: UInt32, _ coefficients: UnsafePointer<Int16>, _ factors: BlockFactors, neverOverflows: Bool,
  to plane: UnsafeMutableRawPointer, stride: Int
) {
  if extents == BlockExtent.empty {
    return
  } else if extents & 0b1010 == 0 {
    let row = unsafe Residual.rowOfTwo(
      dc: Residual.dc(extents & 3, coefficients, factors), Residual.dc(extents &>> 2, coefficients + 16, factors))
    unsafe addToRows(row, plane, stride: stride)
    unsafe addToRows(row, plane + 2 &* stride, stride: stride)
  } else {
    let (left, right) = unsafe Residual.pair(extents, coefficients, factors, neverOverflows: neverOverflows)
    unsafe add(left, to: plane, stride: stride)
    unsafe add(right, to: plane + 4, stride: stride)
  }
}

/// Adds the same residuals to eight pixels of each of two rows.
@inline(__always)
private func addToRows(_ residual: SignedWords, _ plane: UnsafeMutableRawPointer, stride: Int) {
  let rows = unsafe cast(
    SIMD2(
      plane.loadUnaligned(as: UInt64.self), plane.loadUnaligned(fromByteOffset: stride, as: UInt64.self)),
    as: Bytes.self)
  let sums = (rows.widenedLow &+ residual).narrowed(rows.widenedHigh &+ residual)
  let halves = cast(sums, as: SIMD2<UInt64>.self)
  unsafe plane.storeBytes(of: halves[0], as: UInt64.self)
  unsafe plane.storeBytes(of: halves[1], toByteOffset: stride, as: UInt64.self)
}

@inline(__always)
private func add(_ residual: Residual, to plane: UnsafeMutableRawPointer, stride: Int) {
  let prediction = unsafe SIMD4<UInt32>(
    plane.loadUnaligned(as: UInt32.self),
    plane.loadUnaligned(fromByteOffset: stride, as: UInt32.self),
    plane.loadUnaligned(fromByteOffset: 2 &* stride, as: UInt32.self),
    plane.loadUnaligned(fromByteOffset: 3 &* stride, as: UInt32.self))
  unsafe residual.added(to: WideBlock(cast(prediction, as: Bytes.self))).storeBlock(to: plane, stride: stride)
}

extension Bytes {
  /// Stores the pixels of a 4 × 4 block.
  @inline(__always)
  @unsafe func storeBlock(to plane: UnsafeMutableRawPointer, stride: Int) {
    let rows = cast(self, as: SIMD4<UInt32>.self)
    for y in 0..<4 { unsafe plane.storeBytes(of: rows[y], toByteOffset: y &* stride, as: UInt32.self) }
  }
}
