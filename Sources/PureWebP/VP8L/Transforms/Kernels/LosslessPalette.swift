// The inverse color indexing transform (RFC 9649, section 3.5.4), row by row.
//
// Green is an index into the color table. If the table is small, green packs several indices, lowest bits first. Then
// `Palette` contains the colors for each byte value, so one load reads the colors of several pixels.
//
// Unsafe code: Rows are from `LosslessPixels` and `RawPixels`, which check that the complete row is within the span.
// A precondition checks that the palette's table has an entry for each byte value.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

internal import WebPFormat

/// Writes the colors of `width` pixels.
///
/// - Parameters:
///   - colors: 256 · 2^`widthBits` pixels, the colors of each byte value.
///   - widthBits: the binary logarithm of the number of indices in a byte, at most 3.
func mapColors(
  _ width: Int, from source: Span<UInt32>, at index: Int, to target: inout MutableRawSpan, at offset: Int,
  colors: Span<UInt32>, widthBits: Int
) {
  precondition(0...3 ~= widthBits && colors.count >= 256 &<< widthBits)
  let bundles = unsafe source.pixels(blocks(in: width, bits: widthBits), at: index)
  let target = unsafe target.pixels(width, atByte: offset)
  unsafe colors.withUnsafeBytes { colors in
    let colors = unsafe colors.baseAddress.unsafelyUnwrapped
    switch widthBits {
    case 0: unsafe mapSingle(width, bundles, colors, target)
    case 1: unsafe mapBundles(width, bundles, colors, target, SIMD2<UInt32>.self)
    case 2: unsafe mapBundles(width, bundles, colors, target, SIMD4<UInt32>.self)
    default: unsafe mapBundles(width, bundles, colors, target, SIMD8<UInt32>.self)
    }
  }
}

/// Maps one index for each pixel. Eight indices that equal the last one share its color.
private func mapSingle(
  _ width: Int, _ source: UnsafeRawPointer, _ colors: UnsafeRawPointer, _ target: UnsafeMutableRawPointer
) {
  @inline(__always)
  func color(_ x: Int) -> Pixel { unsafe colors.pixel(Int(source.pixel(x) &>> 8 & 0xFF)) }
  var lastIndex = unsafe Bytes(source.pixel(0))
  var lastColor = Bytes(color(0))
  var x = 0
  while x &+ 8 <= width {
    let changes = unsafe source.fourPixels(x).xor(lastIndex).or(source.fourPixels(x &+ 4).xor(lastIndex))
    if changes.isZero {
      unsafe target.store(lastColor, x)
      unsafe target.store(lastColor, x &+ 4)
    } else {
      for pixel in x..<x &+ 8 { unsafe target.store(color(pixel), pixel) }
      lastIndex = unsafe Bytes(source.pixel(x &+ 7))
      lastColor = Bytes(color(x &+ 7))
    }
    x &+= 8
  }
  while x < width {
    unsafe target.store(color(x), x)
    x &+= 1
  }
}

/// Maps bytes with as many indices as `Colors` has lanes.
@inline(__always)
private func mapBundles<Colors: SIMD>(
  _ width: Int, _ source: UnsafeRawPointer, _ colors: UnsafeRawPointer, _ target: UnsafeMutableRawPointer,
  _: Colors.Type
) {
  let lanes = Colors.scalarCount
  var x = 0
  var bundle = 0
  while x &+ lanes <= width {
    let index = unsafe Int(source.pixel(bundle) &>> 8 & 0xFF)
    let pixels = unsafe colors.loadUnaligned(fromByteOffset: 4 &* lanes &* index, as: Colors.self)
    unsafe target.storeBytes(of: pixels, toByteOffset: 4 &* x, as: Colors.self)
    x &+= lanes
    bundle &+= 1
  }
  guard x < width else { return }
  let index = unsafe Int(source.pixel(bundle) &>> 8 & 0xFF)
  for lane in 0..<width &- x { unsafe target.store(colors.pixel(lanes &* index &+ lane), x &+ lane) }
}
