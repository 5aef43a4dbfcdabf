// Upsampling of chroma, fused with the conversion to RGB. U and V have one sample for each 2 × 2 pixels (RFC 6386,
// section 5).
//
// The fancy upsampler weights the four chroma samples around a pixel 9 : 3 : 3 : 1 by distance. Luma rows 2j − 1 and 2j
// lie between chroma rows j − 1 and j. Luma columns 2i − 1 and 2i lie between chroma columns i − 1 and i:
//
//              column 2i−1    2i
//      a ─────────────────────────── b      chroma row j−1
//      row 2j−1      ·         ·
//      row 2j        ·         ·
//      c ─────────────────────────── d      chroma row j
//
// The four pixels · share a, b, c and d, so a pair of luma rows uses each pair of chroma samples once. Outside of the
// image, the outermost samples are repeated. The first row has no partner, nor has the last row of an image of even
// height. Such a row is paired with itself, and so is its chroma row.
//
// The pixel at column 0 is processed separately, and so is the last pixel of a row of even width. Blocks of 32 pixels
// start at column 1.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Converts two luma rows between the same two chroma rows. Writes 4 · `width` bytes at both positions of `output`.
///
/// - Parameters:
///   - luma: readable for `blockSlack` bytes after the end of a row.
///   - alpha: like `luma`. Empty for opaque pixels.
///   - u: two rows of samples, readable for `blockSlack` bytes after `width` / 2.
///   - v: like `u`.
@inline(never)
func upsampleRowPair(
  luma: Span<UInt8>, at lumaRows: RowPair, alpha: Span<UInt8>, at alphaRows: RowPair,
  u: Span<UInt8>, v: Span<UInt8>, at chromaRows: RowPair,
  into output: inout MutableSpan<UInt8>, at outputRows: RowPair, width: Int, order: ChannelOrder
) {
  let (y0, y1) = unsafe luma.rows(at: lumaRows, count: width + blockSlack)
  let (u0, u1) = unsafe u.rows(at: chromaRows, count: width / 2 + blockSlack)
  let (v0, v1) = unsafe v.rows(at: chromaRows, count: width / 2 + blockSlack)
  let (top, bottom) = unsafe output.mutableRows(at: outputRows, count: 4 * width)
  if alpha.isEmpty {
    unsafe upsampleRows(y0, y1, nil, nil, u0, u1, v0, v1, top, bottom, width, order)
  } else {
    let (a0, a1) = unsafe alpha.rows(at: alphaRows, count: width + blockSlack)
    unsafe upsampleRows(y0, y1, a0, a1, u0, u1, v0, v1, top, bottom, width, order)
  }
}

private typealias Source = UnsafeRawPointer
private typealias Target = UnsafeMutableRawPointer

@inline(never)
private func upsampleRows(
  _ y0: Source, _ y1: Source, _ a0: Source?, _ a1: Source?, _ u0: Source, _ u1: Source, _ v0: Source, _ v1: Source,
  _ top: Target, _ bottom: Target, _ width: Int, _ order: ChannelOrder
) {
  unsafe writeEdgePixel(0, y0, a0, u0, u1, v0, v1, top, order)
  unsafe writeEdgePixel(0, y1, a1, u1, u0, v1, v0, bottom, order)

  // The last block is converted into a buffer, because the output may end with its last pixel.
  var rest = (SIMD64<UInt8>(), SIMD64<UInt8>(), SIMD64<UInt8>(), SIMD64<UInt8>())
  unsafe withUnsafeMutableBytes(of: &rest) { rest in
    let restTop = unsafe rest.baseAddress.unsafelyUnwrapped
    let restBottom = unsafe restTop + 128
    var x = 1
    while x < width {
      let fits = x &+ 32 <= width
      let topBlock = unsafe fits ? top + 4 &* x : restTop
      let bottomBlock = unsafe fits ? bottom + 4 &* x : restBottom
      unsafe upsampleBlock(y0, y1, a0, a1, u0, u1, v0, v1, topBlock, bottomBlock, x, order)
      if !fits {
        unsafe (top + 4 &* x).copyMemory(from: restTop, byteCount: 4 &* (width &- x))
        unsafe (bottom + 4 &* x).copyMemory(from: restBottom, byteCount: 4 &* (width &- x))
      }
      x &+= 32
    }
  }
  if width & 1 == 0 {
    unsafe writeEdgePixel(width &- 1, y0, a0, u0, u1, v0, v1, top, order)
    unsafe writeEdgePixel(width &- 1, y1, a1, u1, u0, v1, v0, bottom, order)
  }
}

/// A column `x` at the edge of the image has only one neighboring chroma column: (9a + 3a + 3c + c + 8) / 16.
@inline(__always)
private func writeEdgePixel(
  _ x: Int, _ y: Source, _ a: Source?, _ nearU: Source, _ farU: Source, _ nearV: Source, _ farV: Source,
  _ output: Target, _ order: ChannelOrder
) {
  let u = unsafe (3 &* Int32(nearU.byte(at: x &>> 1)) &+ Int32(farU.byte(at: x &>> 1)) &+ 2) &>> 2
  let v = unsafe (3 &* Int32(nearV.byte(at: x &>> 1)) &+ Int32(farV.byte(at: x &>> 1)) &+ 2) &>> 2
  let alpha = if let a = unsafe a { unsafe a.byte(at: x) } else { UInt8.max }
  let pixel = unsafe convertPixel(luma: y.byte(at: x), u: u, v: v, alpha: alpha, order: order)
  unsafe output.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
}

/// Converts 32 pixels of both rows, from the odd column `x` on.
@inline(__always)
private func upsampleBlock(
  _ y0: Source, _ y1: Source, _ a0: Source?, _ a1: Source?, _ u0: Source, _ u1: Source, _ v0: Source, _ v1: Source,
  _ top: Target, _ bottom: Target, _ x: Int, _ order: ChannelOrder
) {
  let u = unsafe UpsampledChroma(u0, u1, at: x &>> 1)
  let v = unsafe UpsampledChroma(v0, v1, at: x &>> 1)
  unsafe writeBlock(y0, a0, x, u.topLeft, u.topRight, v.topLeft, v.topRight, top, order)
  unsafe writeBlock(y1, a1, x, u.bottomLeft, u.bottomRight, v.bottomLeft, v.bottomRight, bottom, order)
}

/// The chroma of 32 × 2 pixels between 17 × 2 samples, computed with averages of two bytes only.
///
/// With a, b, c, d as in the drawing above, the pixel nearest to a is (9a + 3b + 3c + d + 8) / 16. This equals
/// (a + m + 1) / 2 with m = ⌊(a + 3b + 3c + d) / 8⌋. The other three pixels are computed accordingly. m is
/// (k + (b + c) / 2) / 2 with k = ⌊(a + b + c + d) / 4⌋. Averages of two bytes round up, but m and k are rounded down.
/// The exclusive ors of the operands determine where 1 must be subtracted for this reason.
private struct UpsampledChroma {
  let topLeft: Bytes
  let topRight: Bytes
  let bottomLeft: Bytes
  let bottomRight: Bytes

  @inline(__always)
  init(_ row0: Source, _ row1: Source, at offset: Int) {
    let one = Bytes(repeating: 1)
    let a = unsafe row0.bytes(at: offset)
    let b = unsafe row0.bytes(at: offset &+ 1)
    let c = unsafe row1.bytes(at: offset)
    let d = unsafe row1.bytes(at: offset &+ 1)
    let falling = a.average(d)
    let rising = b.average(c)
    let fallingOdd = a.xor(d)
    let risingOdd = b.xor(c)
    let differs = falling.xor(rising)

    let mean = falling.average(rising) &- fallingOdd.or(risingOdd).or(differs).and(one)
    let nearRising = mean.average(rising) &- risingOdd.and(differs).or(mean.xor(rising)).and(one)
    let nearFalling = mean.average(falling) &- fallingOdd.and(differs).or(mean.xor(falling)).and(one)

    topLeft = a.average(nearRising)
    topRight = b.average(nearFalling)
    bottomLeft = c.average(nearFalling)
    bottomRight = d.average(nearRising)
  }
}

// Access to two rows for the kernels, as in CheckedRows.swift.

/// The offsets of two rows that a kernel processes together. They may be the same row.
struct RowPair {
  var top: Int
  var bottom: Int
}

extension Span<UInt8> {
  /// Same as `row(at:count:)`, for both rows.
  @inline(__always)
  func rows(at rows: RowPair, count: Int) -> (top: UnsafeRawPointer, bottom: UnsafeRawPointer) {
    unsafe (row(at: rows.top, count: count), row(at: rows.bottom, count: count))
  }
}

extension MutableSpan<UInt8> {
  /// Same as `mutableRow(at:count:)`, for both rows.
  @inline(__always)
  mutating func mutableRows(
    at rows: RowPair, count: Int
  ) -> (top: UnsafeMutableRawPointer, bottom: UnsafeMutableRawPointer) {
    unsafe (mutableRow(at: rows.top, count: count), mutableRow(at: rows.bottom, count: count))
  }
}
