// Reference implementations of the output side, written from the formulas, one pixel at a time, and test images for
// them.

import ConformanceGenerator
import Testing

@testable import PureWebP

/// The planes of a lossy image, without padding.
struct PlainImage {
  let width: Int
  let height: Int
  var luma: [UInt8]
  var u: [UInt8]
  var v: [UInt8]
  /// Nil for an opaque image.
  var alpha: [UInt8]?

  var chromaWidth: Int { (width + 1) / 2 }
  var chromaHeight: Int { (height + 1) / 2 }

  init(width: Int, height: Int, luma: [UInt8], u: [UInt8], v: [UInt8], alpha: [UInt8]?) {
    self.width = width
    self.height = height
    self.luma = luma
    self.u = u
    self.v = v
    self.alpha = alpha
  }

  init(width: Int, height: Int, hasAlpha: Bool, using random: inout SplitMix64) {
    self.width = width
    self.height = height
    let chroma = (width + 1) / 2 * ((height + 1) / 2)
    luma = random.extremeBytes(width * height)
    u = random.extremeBytes(chroma)
    v = random.extremeBytes(chroma)
    alpha = hasAlpha ? random.extremeBytes(width * height) : nil
  }

  /// A part of the image, with even left and upper edges.
  func cropped(to rectangle: WebP.Rectangle) -> PlainImage {
    func part(of plane: [UInt8], _ stride: Int, _ x: Int, _ y: Int, _ width: Int, _ height: Int) -> [UInt8] {
      (y..<y + height).flatMap { (row: Int) -> ArraySlice<UInt8> in
        let start = row * stride + x
        return plane[start..<start + width]
      }
    }
    let (x, y, width, height) = (rectangle.x, rectangle.y, rectangle.width, rectangle.height)
    let chroma = (x / 2, y / 2, (width + 1) / 2, (height + 1) / 2)
    return PlainImage(
      width: width, height: height, luma: part(of: luma, self.width, x, y, width, height),
      u: part(of: u, chromaWidth, chroma.0, chroma.1, chroma.2, chroma.3),
      v: part(of: v, chromaWidth, chroma.0, chroma.1, chroma.2, chroma.3),
      alpha: alpha.map { part(of: $0, self.width, x, y, width, height) })
  }

  /// R G B A, with chroma weighted 9 : 3 : 3 : 1, or the nearest sample.
  func rgba(_ upsampling: WebP.DecodeOptions.Upsampling) -> [UInt8] {
    var result: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let pixel = plainRGB(
          Int(luma[y * width + x]), sample(of: u, x, y, upsampling), sample(of: v, x, y, upsampling))
        result += [pixel.0, pixel.1, pixel.2, alpha?[y * width + x] ?? 255]
      }
    }
    return result
  }

  private func sample(of plane: [UInt8], _ x: Int, _ y: Int, _ upsampling: WebP.DecodeOptions.Upsampling) -> Int {
    func value(_ i: Int, _ j: Int) -> Int {
      Int(plane[min(max(j, 0), chromaHeight - 1) * chromaWidth + min(max(i, 0), chromaWidth - 1)])
    }
    let i = x / 2
    let j = y / 2
    guard upsampling == .fancy else { return value(i, j) }
    let farI = x % 2 == 0 ? i - 1 : i + 1
    let farJ = y % 2 == 0 ? j - 1 : j + 1
    return (9 * value(i, j) + 3 * value(farI, j) + 3 * value(i, farJ) + value(farI, farJ) + 8) / 16
  }

  /// The planes Y, U, V and, if requested, A, without gaps.
  func planes(as format: WebP.PixelFormat) -> [UInt8] {
    if format == .luma { return luma }
    if format == .gray8 { return luma.map { UInt8(min(255, max(0, ((Double($0) - 16) * 255 / 219).rounded()))) } }
    return luma + u + v + (format == .yuva ? alpha ?? [UInt8](repeating: 255, count: width * height) : [])
  }

  /// Rows in the form in which the VP8 decoder outputs them: complete macroblocks, preceded by unused rows, with random
  /// bytes outside of the image.
  func rows(_ rows: Range<Int>, using random: inout SplitMix64) -> (yuv: YUVRows, alpha: ContiguousArray<UInt8>) {
    let lumaStride = (width + 15) / 16 * 16
    let chromaRows = rows.lowerBound / 2..<(rows.upperBound + 1) / 2
    var yuv = YUVRows(
      luma: ContiguousArray(random.extremeBytes((rows.count + 3) * lumaStride + YUVRows.slack)),
      u: ContiguousArray(random.extremeBytes((chromaRows.count + 2) * lumaStride / 2 + YUVRows.slack)),
      v: ContiguousArray(random.extremeBytes((chromaRows.count + 2) * lumaStride / 2 + YUVRows.slack)),
      lumaStride: lumaStride, chromaStride: lumaStride / 2, lumaStart: 3 * lumaStride, chromaStart: lumaStride,
      rows: rows)
    for row in rows {
      for x in 0..<width {
        yuv.luma[yuv.lumaStart + (row - rows.lowerBound) * lumaStride + x] = luma[row * width + x]
      }
    }
    for row in chromaRows {
      for x in 0..<chromaWidth {
        let place = yuv.chromaStart + (row - chromaRows.lowerBound) * lumaStride / 2 + x
        yuv.u[place] = u[row * chromaWidth + x]
        yuv.v[place] = v[row * chromaWidth + x]
      }
    }
    guard let alpha else { return (yuv, []) }
    return (yuv, ContiguousArray(alpha[rows.lowerBound * width..<rows.upperBound * width]) + random.extremeBytes(64))
  }
}

/// Converts one pixel.
func plainRGB(_ y: Int, _ u: Int, _ v: Int) -> (UInt8, UInt8, UInt8) {
  func clamp(_ value: Int) -> UInt8 { value < 0 ? 0 : value >= 16384 ? 255 : UInt8(value / 64) }
  let luma = y * 19077 / 256
  return (
    clamp(luma + v * 26149 / 256 - 14234), clamp(luma - u * 6419 / 256 - v * 13320 / 256 + 8708),
    clamp(luma + u * 33050 / 256 - 17685)
  )
}

/// Converts R G B A bytes to another packed format.
func plainPacked(_ rgba: [UInt8], as format: WebP.PixelFormat) -> [UInt8] {
  let values = rgba.map(Int.init)
  var result: [Int] = []
  for start in stride(from: 0, to: values.count, by: 4) {
    result += plainPacked(values[start], values[start + 1], values[start + 2], values[start + 3], as: format)
  }
  return result.map(UInt8.init)
}

private func plainPacked(_ r: Int, _ g: Int, _ b: Int, _ a: Int, as format: WebP.PixelFormat) -> [Int] {
  func times(_ c: Int) -> Int { c * a / 255 }
  func times4(_ c: Int) -> Int { c / 16 * 17 * (a / 16 * 0x1111) / 65536 / 16 }
  // Statements, which are type-checked one by one.
  switch format {
  case .rgba: return [r, g, b, a]
  case .bgra: return [b, g, r, a]
  case .argb: return [a, r, g, b]
  case .rgb: return [r, g, b]
  case .bgr: return [b, g, r]
  case .rgbaPremultiplied: return [times(r), times(g), times(b), a]
  case .bgraPremultiplied: return [times(b), times(g), times(r), a]
  case .argbPremultiplied: return [a, times(r), times(g), times(b)]
  case .rgb565: return [r / 8 * 8 + g / 32, g / 4 % 8 * 32 + b / 8]
  case .rgba4444: return [r / 16 * 16 + g / 16, b / 16 * 16 + a / 16]
  case .rgba4444Premultiplied: return [times4(r) * 16 + times4(g), times4(b) * 16 + a / 16]
  case .gray8: return [(19595 * r + 38470 * g + 7471 * b + 32768) / 65536]
  case .yuv, .yuva, .luma: return []
  }
}

/// The planes of a lossless image in a planar format.
func plainPlanes(rgba: [UInt8], width: Int, height: Int, as format: WebP.PixelFormat) -> [UInt8] {
  let wantsAlpha = format == .yuva
  func channel(_ x: Int, _ y: Int, _ index: Int) -> Int {
    Int(rgba[(min(y, height - 1) * width + min(x, width - 1)) * 4 + index])
  }
  var luma: [UInt8] = []
  var u: [UInt8] = []
  var v: [UInt8] = []
  var alpha: [UInt8] = []
  for y in 0..<height {
    for x in 0..<width {
      let sum = 16839 * channel(x, y, 0) + 33059 * channel(x, y, 1) + 6420 * channel(x, y, 2)
      luma.append(UInt8((sum + 32768 + 16 * 65536) / 65536))
      alpha.append(UInt8(channel(x, y, 3)))
    }
  }
  for y in stride(from: 0, to: height, by: 2) {
    for x in stride(from: 0, to: width, by: 2) {
      let block = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)]
      let weight = block.reduce(0) { $0 + channel($1.0, $1.1, 3) }
      let rgb = (0..<3).map { index in
        var sum = 0
        if wantsAlpha, weight != 0, weight != 1020 {
          for (x, y) in block { sum += channel(x, y, 3) * Int(gammaToLinear[channel(x, y, index)]) }
          sum = sum * (524288 / weight) / 131072
        } else {
          for (x, y) in block { sum += Int(gammaToLinear[channel(x, y, index)]) }
        }
        let above = sum % 512
        return (Int(linearToGamma[sum / 512 + 1]) * above + Int(linearToGamma[sum / 512]) * (512 - above) + 64) / 128
      }
      func clamp(_ sum: Int) -> UInt8 { UInt8(min(max((sum + 131072 + 128 * 262144) >> 18, 0), 255)) }
      u.append(clamp(-9719 * rgb[0] - 19081 * rgb[1] + 28800 * rgb[2]))
      v.append(clamp(28800 * rgb[0] - 24116 * rgb[1] - 4684 * rgb[2]))
    }
  }
  return format == .luma ? luma : luma + u + v + (wantsAlpha ? alpha : [])
}

/// Writes a lossy image in batches of rows, and returns the output. Checks that bytes outside of pixels do not change.
func write(
  _ image: PlainImage, _ options: WebP.DecodeOptions, inBatchesOf sizes: (first: Int, next: Int), gap: Int = 0,
  using random: inout SplitMix64
) throws -> [UInt8] {
  let tight = try OutputWriter(
    width: image.width, height: image.height, isLossy: true, options: options, stride: nil)
  let stride = tight.layout.planes[0].stride + gap
  var output = try OutputWriter(
    width: image.width, height: image.height, isLossy: true, options: options, stride: stride)
  var memory = GuardedMemory(output.layout)
  for rows in batches(of: image.height, first: sizes.first, next: sizes.next) {
    let (yuv, alpha) = image.rows(rows, using: &random)
    var pixels = memory.bytes.mutableSpan
    output.write(yuv, alpha: alpha.span, into: &pixels)
  }
  #expect(output.finishedRows == output.height)
  #expect(memory.gapsAreUntouched)
  return memory.pixels
}

/// Writes a lossless image in batches of rows, with the same checks.
func write(
  rgba: [UInt8], width: Int, height: Int, _ options: WebP.DecodeOptions, inBatchesOf sizes: (first: Int, next: Int),
  gap: Int = 0
) throws -> [UInt8] {
  let tight = try OutputWriter(width: width, height: height, isLossy: false, options: options, stride: nil)
  let stride = tight.layout.planes[0].stride + gap
  var output = try OutputWriter(width: width, height: height, isLossy: false, options: options, stride: stride)
  var memory = GuardedMemory(output.layout)
  for rows in batches(of: height, first: sizes.first, next: sizes.next) {
    let batch = ContiguousArray(rgba[4 * width * rows.lowerBound..<4 * width * rows.upperBound])
    var pixels = memory.bytes.mutableSpan
    output.write(rgba: batch.span, stride: 4 * width, rows: rows, into: &pixels)
  }
  #expect(output.finishedRows == output.height)
  #expect(memory.gapsAreUntouched)
  return memory.pixels
}

/// Memory of exactly the size of a layout, with a pattern in all bytes outside of pixels.
private struct GuardedMemory {
  let layout: WebP.Layout
  var bytes: ContiguousArray<UInt8>

  init(_ layout: WebP.Layout) {
    self.layout = layout
    bytes = ContiguousArray(repeating: 0xA7, count: layout.byteCount)
  }

  /// The bytes of the pixels, plane by plane, without gaps.
  var pixels: [UInt8] {
    layout.planes.flatMap { plane in
      (0..<plane.rows).flatMap { (row: Int) -> ArraySlice<UInt8> in
        let start = plane.offset + row * plane.stride
        return bytes[start..<start + plane.rowBytes]
      }
    }
  }

  var gapsAreUntouched: Bool {
    for plane in layout.planes {
      for row in 0..<plane.rows {
        let end = plane.offset + row * plane.stride + plane.rowBytes
        let next = min(end + plane.stride - plane.rowBytes, bytes.count)
        if bytes[end..<next].contains(where: { $0 != 0xA7 }) { return false }
      }
    }
    return true
  }
}

/// Batches of rows up to `height`: `first` rows, then `next` rows at a time.
func batches(of height: Int, first: Int, next: Int) -> [Range<Int>] {
  var result: [Range<Int>] = []
  var start = 0
  while start < height {
    let end = min(height, start + (start == 0 ? first : next))
    result.append(start..<end)
    start = end
  }
  return result
}

extension SplitMix64 {
  /// Random bytes, many of them 0 or 255.
  mutating func extremeBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in
      let bits = next()
      return switch bits >> 60 {
      case 0: 0
      case 1: 255
      default: UInt8(truncatingIfNeeded: bits)
      }
    }
  }
}
