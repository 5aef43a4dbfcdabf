// In place of Kernels/Blending.swift, which takes four pixels at once, and others than R G B A: here it is one after the
// other.

/// Blends a row of pixels onto the canvas, but copies those in `copied`. Traps unless both rows are in bounds.
func blendRow(
  _ layer: Span<UInt8>, at layerOffset: Int, onto canvas: inout MutableSpan<UInt8>, at offset: Int, width: Int,
  copied: Range<Int>
) {
  let source = unsafe layer.row(at: layerOffset, count: 4 &* width)
  let target = unsafe canvas.mutableRow(at: offset, count: 4 &* width)
  for x in 0..<width {
    var pixel = unsafe source.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self)
    if !copied.contains(x) {
      pixel = blendPixel(pixel, unsafe target.loadUnaligned(fromByteOffset: 4 &* x, as: UInt32.self))
    }
    unsafe target.storeBytes(of: pixel, toByteOffset: 4 &* x, as: UInt32.self)
  }
}

private func blendPixel(_ over: UInt32, _ under: UInt32) -> UInt32 {
  let alpha = over &>> 24
  if alpha == 255 { return over }
  if alpha == 0 { return under }
  let kept = ((under &>> 24) &* (256 &- alpha)) &>> 8
  let sum = alpha &+ kept
  let scale = (1 &<< 24) / sum  // alpha is not 0, nor is the sum
  var pixel = sum &<< 24
  for shift in stride(from: 0 as UInt32, to: 24, by: 8) {
    let weighted = (over &>> shift & 255) &* alpha &+ (under &>> shift & 255) &* kept
    pixel |= ((weighted &* scale) &>> 24) &<< shift
  }
  return pixel
}
