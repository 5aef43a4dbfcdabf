// Conversion of R G B A to Y'CbCr, for planar output of lossless images.
//
// Luma is the BT.601 sum of a pixel. Chroma is computed from the mean color of 2 × 2 pixels. If the output has alpha,
// the pixels are weighted by alpha. The mean is taken in a space that is closer to linear light:
//
//     c ─▶ linear(c) = 4095 · (c / 255)^0.8 ─▶ weighted mean ─▶ back, interpolated between 33 knots ─▶ 4 · mean color
//
// If the width is odd, the last column is repeated; if the height is odd, the last row is repeated. Releases of libwebp
// after 1.6 have the same results.
//
// Unsafe code: Rows from `CheckedRows` have as many bytes as the loops process. The conversions require slack after
// a row if they read past its end. `ColorConversion` writes 64 bytes, and `WideConversion` 128, only if the row or a
// buffer has them.
// Plain formula: `plainPlanes` in Tests/PureWebPTests/Reference/PlainImage.swift.

internal import WebPFormat

/// Writes the luma of `width` pixels.
func writeLuma(
  rgba: Span<UInt8>, at row: Int, into output: inout MutableSpan<UInt8>, at outputRow: Int, width: Int
) {
  let source = unsafe rgba.row(at: row, count: 4 * width)
  let target = unsafe output.mutableRow(at: outputRow, count: width)
  for x in 0..<width {
    let red = unsafe Int32(source.byte(at: 4 &* x))
    let green = unsafe Int32(source.byte(at: 4 &* x &+ 1))
    let blue = unsafe Int32(source.byte(at: 4 &* x &+ 2))
    let sum = 16839 &* red &+ 33059 &* green &+ 6420 &* blue
    let luma = UInt8(truncatingIfNeeded: (sum &+ 16 << 16 &+ 1 << 15) &>> 16)
    unsafe target.storeBytes(of: luma, toByteOffset: x, as: UInt8.self)
  }
}

/// Writes the alpha of `width` pixels.
func writeAlpha(
  rgba: Span<UInt8>, at row: Int, into output: inout MutableSpan<UInt8>, at outputRow: Int, width: Int
) {
  let source = unsafe rgba.row(at: row, count: 4 * width)
  let target = unsafe output.mutableRow(at: outputRow, count: width)
  for x in 0..<width {
    unsafe target.storeBytes(of: source.byte(at: 4 &* x &+ 3), toByteOffset: x, as: UInt8.self)
  }
}

/// Writes the chroma of two rows of `width` pixels: half as many samples, rounded up, of U and of V.
///
/// - Parameter weighted: whether the pixels are weighted by alpha.
@inline(never)  // several callers
func writeChroma(
  top: Span<UInt8>, at topRow: Int, bottom: Span<UInt8>, at bottomRow: Int,
  into output: inout MutableSpan<UInt8>, u uRow: Int, v vRow: Int, width: Int, weighted: Bool
) {
  let top = unsafe top.row(at: topRow, count: 4 * width)
  let bottom = unsafe bottom.row(at: bottomRow, count: 4 * width)
  let u = unsafe output.mutableRow(at: uRow, count: (width + 1) / 2)
  let v = unsafe output.mutableRow(at: vRow, count: (width + 1) / 2)
  for x in 0..<(width + 1) / 2 {
    let left = 8 &* x
    let right = min(left &+ 4, 4 &* (width &- 1))
    let mean = unsafe meanColor(top + left, top + right, bottom + left, bottom + right, weighted: weighted)
    let bytes = chroma(red: mean[0], green: mean[1], blue: mean[2])
    unsafe u.storeBytes(of: bytes.u, toByteOffset: x, as: UInt8.self)
    unsafe v.storeBytes(of: bytes.v, toByteOffset: x, as: UInt8.self)
  }
}

/// Writes the chroma of one row, computed from pairs of its pixels. If `averaging` is true, writes the mean of this
/// chroma and the existing samples.
///
/// Used for scaled images: even rows write their chroma, and odd rows replace it by the mean of both rows.
func writeChroma(
  rgba: Span<UInt8>, at row: Int, into output: inout MutableSpan<UInt8>, u uRow: Int, v vRow: Int, width: Int,
  averaging: Bool
) {
  let source = unsafe rgba.row(at: row, count: 4 * width)
  let u = unsafe output.mutableRow(at: uRow, count: (width + 1) / 2)
  let v = unsafe output.mutableRow(at: vRow, count: (width + 1) / 2)
  for x in 0..<(width + 1) / 2 {
    let left = 8 &* x
    let right = min(left &+ 4, 4 &* (width &- 1))
    let red = unsafe 2 &* (Int32(source.byte(at: left)) &+ Int32(source.byte(at: right)))
    let green = unsafe 2 &* (Int32(source.byte(at: left &+ 1)) &+ Int32(source.byte(at: right &+ 1)))
    let blue = unsafe 2 &* (Int32(source.byte(at: left &+ 2)) &+ Int32(source.byte(at: right &+ 2)))
    var bytes = chroma(red: red, green: green, blue: blue)
    if averaging {
      bytes.u = unsafe average(bytes.u, u.load(fromByteOffset: x, as: UInt8.self))
      bytes.v = unsafe average(bytes.v, v.load(fromByteOffset: x, as: UInt8.self))
    }
    unsafe u.storeBytes(of: bytes.u, toByteOffset: x, as: UInt8.self)
    unsafe v.storeBytes(of: bytes.v, toByteOffset: x, as: UInt8.self)
  }
}

@inline(__always)
private func average(_ a: UInt8, _ b: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: (UInt32(a) &+ UInt32(b) &+ 1) &>> 1) }

/// U and V of a color whose channels are 0...1020.
@inline(__always)
private func chroma(red: Int32, green: Int32, blue: Int32) -> (u: UInt8, v: UInt8) {
  let u = -9719 &* red &- 19081 &* green &+ 28800 &* blue
  let v = 28800 &* red &- 24116 &* green &- 4684 &* blue
  return (chromaSample(u), chromaSample(v))
}

@inline(__always)
private func chromaSample(_ sum: Int32) -> UInt8 {
  UInt8(truncatingIfNeeded: max(0, min(255, (sum &+ 128 << 18 &+ 1 << 17) &>> 18)))
}

/// The mean of the channels of four pixels, times 4.
@inline(__always)
private func meanColor(
  _ a: UnsafeRawPointer, _ b: UnsafeRawPointer, _ c: UnsafeRawPointer, _ d: UnsafeRawPointer, weighted: Bool
) -> SIMD4<Int32> {
  let alphaA = unsafe UInt32(a.byte(at: 3))
  let alphaB = unsafe UInt32(b.byte(at: 3))
  let alphaC = unsafe UInt32(c.byte(at: 3))
  let alphaD = unsafe UInt32(d.byte(at: 3))
  let alpha = alphaA &+ alphaB &+ alphaC &+ alphaD
  var mean = SIMD4<Int32>()
  if weighted, alpha != 0, alpha != 4 * 255 {
    // The sum is at most 4095 · alpha, so the product is at most 4095 · 2¹⁹.
    let inverse = (1 << 19) / alpha
    for channel in 0..<3 {
      let sum =
        unsafe alphaA &* linear(a, channel) &+ alphaB &* linear(b, channel) &+ alphaC &* linear(c, channel)
        &+ alphaD &* linear(d, channel)
      mean[channel] = color(linearSum: (sum &* inverse) &>> 17)
    }
  } else {
    for channel in 0..<3 {
      mean[channel] = unsafe color(
        linearSum: linear(a, channel) &+ linear(b, channel) &+ linear(c, channel) &+ linear(d, channel))
    }
  }
  return mean
}

@inline(__always)
private func linear(_ pixel: UnsafeRawPointer, _ channel: Int) -> UInt32 {
  unsafe UInt32(gammaToLinear[Int(pixel.byte(at: channel))])
}

/// Four times the color whose linear value is a quarter of `linearSum`, which is at most 4 · 4095.
@inline(__always)
private func color(linearSum: UInt32) -> Int32 {
  let knot = Int(linearSum &>> 9)
  let distance = Int32(truncatingIfNeeded: linearSum & 511)
  let low = Int32(linearToGamma[knot])
  let high = Int32(linearToGamma[knot &+ 1])
  return (high &* distance &+ low &* (512 &- distance) &+ 64) &>> 7
}

/// ⌊4095 · (v / 255)^0.8 + ½⌋
let gammaToLinear: [UInt16] = [
  0, 49, 85, 117, 147, 176, 204, 231, 257, 282, 307, 331, 355, 379, 402, 425,
  447, 469, 491, 513, 534, 556, 577, 598, 618, 639, 659, 679, 699, 719, 739, 759,
  778, 798, 817, 836, 855, 874, 893, 912, 930, 949, 967, 986, 1004, 1022, 1040, 1059,
  1077, 1094, 1112, 1130, 1148, 1165, 1183, 1200, 1218, 1235, 1252, 1270, 1287, 1304, 1321, 1338,
  1355, 1372, 1389, 1406, 1422, 1439, 1456, 1472, 1489, 1505, 1522, 1538, 1555, 1571, 1587, 1604,
  1620, 1636, 1652, 1668, 1684, 1700, 1716, 1732, 1748, 1764, 1780, 1796, 1812, 1827, 1843, 1859,
  1874, 1890, 1905, 1921, 1937, 1952, 1967, 1983, 1998, 2014, 2029, 2044, 2059, 2075, 2090, 2105,
  2120, 2135, 2151, 2166, 2181, 2196, 2211, 2226, 2241, 2256, 2270, 2285, 2300, 2315, 2330, 2345,
  2359, 2374, 2389, 2403, 2418, 2433, 2447, 2462, 2477, 2491, 2506, 2520, 2535, 2549, 2564, 2578,
  2592, 2607, 2621, 2636, 2650, 2664, 2679, 2693, 2707, 2721, 2736, 2750, 2764, 2778, 2792, 2806,
  2820, 2835, 2849, 2863, 2877, 2891, 2905, 2919, 2933, 2947, 2961, 2975, 2988, 3002, 3016, 3030,
  3044, 3058, 3072, 3085, 3099, 3113, 3127, 3140, 3154, 3168, 3182, 3195, 3209, 3222, 3236, 3250,
  3263, 3277, 3291, 3304, 3318, 3331, 3345, 3358, 3372, 3385, 3399, 3412, 3426, 3439, 3452, 3466,
  3479, 3493, 3506, 3519, 3533, 3546, 3559, 3573, 3586, 3599, 3612, 3626, 3639, 3652, 3665, 3678,
  3692, 3705, 3718, 3731, 3744, 3757, 3771, 3784, 3797, 3810, 3823, 3836, 3849, 3862, 3875, 3888,
  3901, 3914, 3927, 3940, 3953, 3966, 3979, 3992, 4005, 4018, 4031, 4044, 4056, 4069, 4082, 4095,
]

/// ⌊255 · (128 · v / 4095)^1.25 + ½⌋
let linearToGamma: [UInt16] = [
  0, 3, 8, 13, 19, 25, 31, 38, 45, 52, 60, 67, 75, 83, 91, 99,
  107, 116, 124, 133, 142, 151, 160, 169, 178, 187, 197, 206, 216, 226, 235, 245,
  255,
]
