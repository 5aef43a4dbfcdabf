// Conversion of rows to RGB without interpolation of chroma. Two pixels share a chroma sample, or each has its own.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `PlainImage.rgba` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Converts a luma row whose pixels use the nearest chroma sample. Writes 4 · `width` bytes at `outputRow`.
///
/// - Parameters:
///   - luma, alpha, u, v: rows that are readable for `blockSlack` bytes after `width`, or after half of it in `u` and
///     `v`. `alpha` is empty for opaque pixels.
func convertRow(
  luma: Span<UInt8>, at lumaRow: Int, alpha: Span<UInt8>, at alphaRow: Int,
  u: Span<UInt8>, v: Span<UInt8>, at chromaRow: Int,
  into output: inout MutableSpan<UInt8>, at outputRow: Int, width: Int, order: ChannelOrder
) {
  let y = unsafe luma.row(at: lumaRow, count: width + blockSlack)
  let u = unsafe u.row(at: chromaRow, count: width / 2 + blockSlack)
  let v = unsafe v.row(at: chromaRow, count: width / 2 + blockSlack)
  let row = unsafe output.mutableRow(at: outputRow, count: 4 * width)
  if alpha.isEmpty {
    unsafe convertRow(y, nil, u, v, row, width, order)
  } else {
    let a = unsafe alpha.row(at: alphaRow, count: width + blockSlack)
    unsafe convertRow(y, a, u, v, row, width, order)
  }
}

@inline(__always)
private func convertRow(
  _ y: UnsafeRawPointer, _ a: UnsafeRawPointer?, _ u: UnsafeRawPointer, _ v: UnsafeRawPointer,
  _ output: UnsafeMutableRawPointer, _ width: Int, _ order: ChannelOrder
) {
  var rest = (SIMD64<UInt8>(), SIMD64<UInt8>())
  unsafe withUnsafeMutableBytes(of: &rest) { rest in
    let rest = unsafe rest.baseAddress.unsafelyUnwrapped
    var x = 0
    while x < width {
      let fits = x &+ 32 <= width
      let block = unsafe fits ? output + 4 &* x : rest
      let (u, v) = unsafe (u.bytes(at: x &>> 1), v.bytes(at: x &>> 1))
      unsafe writeBlock(y, a, x, u, u, v, v, block, order)
      if !fits { unsafe (output + 4 &* x).copyMemory(from: rest, byteCount: 4 &* (width &- x)) }
      x &+= 32
    }
  }
}

/// Converts a row with a chroma sample for each pixel to R G B A. Writes 4 · `width` bytes at the start of `output`.
///
/// - Parameters:
///   - luma, alpha, u, v: rows that are readable for `blockSlack` bytes after `width`.
///   - output: has room for `blockSlack` more pixels, which may be overwritten.
func convertFullRow(
  luma: borrowing ContiguousArray<UInt8>, alpha: borrowing ContiguousArray<UInt8>,
  u: borrowing ContiguousArray<UInt8>, v: borrowing ContiguousArray<UInt8>,
  into output: inout ContiguousArray<UInt8>, width: Int
) {
  var output = output.mutableSpan
  let y = unsafe luma.span.row(at: 0, count: width + blockSlack)
  let a = unsafe alpha.span.row(at: 0, count: width + blockSlack)
  let u = unsafe u.span.row(at: 0, count: width + blockSlack)
  let v = unsafe v.span.row(at: 0, count: width + blockSlack)
  let row = unsafe output.mutableRow(at: 0, count: 4 * (width + blockSlack))
  var x = 0
  while x < width {
    let us = cast(unsafe u.bytes(at: x), as: Words.self)
    let vs = cast(unsafe v.bytes(at: x), as: Words.self)
    let high = Words(repeating: 0xFF00)
    unsafe writePixels(
      luma: y.bytes(at: x), alpha: a.bytes(at: x), even: ChromaLanes(u: us &<< 8, v: vs &<< 8),
      odd: ChromaLanes(u: us.and(high), v: vs.and(high)), order: .rgba, to: row + 4 &* x)
    x &+= 16
  }
}
