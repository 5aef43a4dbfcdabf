// The blending of a frame's row with the canvas (RFC 9649, section 2.7.1.1).

/// Blends a row of pixels onto the canvas. Pixels in the columns `copied` are copied instead. Traps unless both rows
/// are in bounds.
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
