// Chroma upsampling and conversion (see Kernels/Upsampling.swift) pixel by pixel.

let blockSlack = 32

func upsampleRowPair(
  luma: Span<UInt8>, at lumaRows: RowPair, alpha: Span<UInt8>, at alphaRows: RowPair,
  u: Span<UInt8>, v: Span<UInt8>, at chromaRows: RowPair,
  into output: inout MutableSpan<UInt8>, at outputRows: RowPair, width: Int, order: ChannelOrder
) {
  let luma = unsafe luma.rows(at: lumaRows, count: width)
  let u = unsafe u.rows(at: chromaRows, count: width / 2 + 1)
  let v = unsafe v.rows(at: chromaRows, count: width / 2 + 1)
  let output = unsafe output.mutableRows(at: outputRows, count: 4 * width)
  let alpha = unsafe alpha.isEmpty ? nil : alpha.rows(at: alphaRows, count: width)
  unsafe upsample(luma.top, alpha?.top, u.top, u.bottom, v.top, v.bottom, output.top, width)
  unsafe upsample(luma.bottom, alpha?.bottom, u.bottom, u.top, v.bottom, v.top, output.bottom, width)
}

/// One row, between the chroma row that is nearer to it and the other one.
private func upsample(
  _ luma: UnsafeRawPointer, _ alpha: UnsafeRawPointer?, _ nearU: UnsafeRawPointer, _ farU: UnsafeRawPointer,
  _ nearV: UnsafeRawPointer, _ farV: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ width: Int
) {
  // Four times the sample between the rows, of the columns to the left and to the right.
  var (leftU, leftV) = unsafe (both(nearU, farU, 0), both(nearV, farV, 0))
  write(0, 4 &* leftU, 4 &* leftV)
  var x = 1
  while x < width {
    let (rightU, rightV) = unsafe (both(nearU, farU, x &>> 1 &+ 1), both(nearV, farV, x &>> 1 &+ 1))
    write(x, 3 &* leftU &+ rightU, 3 &* leftV &+ rightV)
    if x &+ 1 < width { write(x &+ 1, leftU &+ 3 &* rightU, leftV &+ 3 &* rightV) }
    (leftU, leftV) = (rightU, rightV)
    x &+= 2
  }

  /// A pixel by sixteen times its chroma.
  @inline(__always)
  func write(_ x: Int, _ u: Int32, _ v: Int32) {
    let opacity = if let alpha = unsafe alpha { unsafe alpha.byte(at: x) } else { UInt8.max }
    let pixel = unsafe convertPixel(
      luma: luma.byte(at: x), u: (u &+ 8) &>> 4, v: (v &+ 8) &>> 4, alpha: opacity, order: .rgba)
    unsafe output.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
  }
}

@inline(__always)
private func both(_ near: UnsafeRawPointer, _ far: UnsafeRawPointer, _ column: Int) -> Int32 {
  unsafe 3 &* Int32(near.byte(at: column)) &+ Int32(far.byte(at: column))
}
