import ConformanceGenerator
import TestComparison
import Testing

@testable import PureWebP

/// Proves that images are scaled as libwebp scales them.
/// Expected values: checksums of libwebp 1.6's output, and a reference rescaler if libwebp cannot decode the input.
@Suite struct OutputScalingTests {
  /// Size, output size, format, and the FNV-1a sum of libwebp 1.6's output. The input is a lossless file with the
  /// pixels that `SplitMix64` generates from the seed 1000 · width + height.
  private static let libwebp: [(Int, Int, Int, Int, WebP.PixelFormat, UInt64)] = [
    (40, 30, 17, 13, .rgba, 0x112D_8769_648B_94BF),
    (40, 30, 97, 61, .rgba, 0x4BE6_3195_FD37_709E),
    (40, 30, 40, 30, .rgba, 0x14F3_A884_DC8F_AAF6),
    (13, 41, 40, 7, .rgbaPremultiplied, 0x4877_3636_1D8E_777C),
    (41, 13, 7, 40, .yuva, 0x5D42_954D_2CC9_539D),
    (9, 9, 5, 5, .yuv, 0xD4D5_29E3_20B5_9D56),
    (1, 1, 2, 2, .rgba, 0x8820_1FB9_60FF_6465),
    (1, 7, 1, 20, .rgba, 0xF14B_84B8_290B_8965),
    (1, 7, 2, 3, .bgr, 0xCAFA_79E6_22AD_BB4B),
    (7, 1, 3, 5, .argbPremultiplied, 0x9BFD_BC5D_304C_FCCE),
    (2, 2, 1, 1, .rgb565, 0x09E6_2107_B65E_0868),
    (30, 20, 31, 21, .rgba4444Premultiplied, 0x0010_4F22_F01C_C4C8),
    (64, 48, 1, 1, .rgba, 0x96B0_FBAD_27DF_B964),
    (3, 3, 200, 150, .yuva, 0x4577_E2FA_DC4B_B019),
  ]

  @Test(arguments: libwebp.indices)
  func scaledLosslessImagesMatchLibwebp(index: Int) throws {
    let (width, height, newWidth, newHeight, format, expected) = Self.libwebp[index]
    var random = SplitMix64(seed: UInt64(1000 * width + height))
    let rgba = random.extremeBytes(4 * width * height)
    let options = WebP.DecodeOptions(format: format, size: .exact(width: newWidth, height: newHeight))
    for sizes in [(1, 1), (3, 5), (16, 16)] {
      let written = try write(rgba: rgba, width: width, height: height, options, inBatchesOf: sizes, gap: 3)
      #expect(written.fnv1a == expected)
    }
  }

  @Test(arguments: [WebP.PixelFormat.rgba, .rgb, .bgraPremultiplied, .yuv, .yuva, .luma])
  func scaledLossyImagesMatchTheReference(format: WebP.PixelFormat) throws {
    var random = SplitMix64(seed: 21)
    for _ in 0..<60 {
      let picture = PlainImage(
        width: .random(in: 1...40, using: &random), height: .random(in: 1...40, using: &random),
        hasAlpha: .random(using: &random), using: &random)
      let width = Int.random(in: 1...90, using: &random)
      let height = Int.random(in: 1...90, using: &random)
      let options = WebP.DecodeOptions(format: format, size: .exact(width: width, height: height))
      let expected = plainScaled(picture, width, height, format)
      for sizes in [(2, 2), (8, 16)] {
        let written = try write(picture, options, inBatchesOf: sizes, gap: 3, using: &random)
        expectSame(written, expected, "\(picture.width) × \(picture.height) to \(width) × \(height)")
      }
    }
  }

  /// Checks the reference rescaler itself against libwebp's results.
  @Test func referenceRescalerMatchesLibwebp() {
    for (width, height, newWidth, newHeight, format, expected) in Self.libwebp where format == .rgba {
      var random = SplitMix64(seed: UInt64(1000 * width + height))
      var rgba = random.extremeBytes(4 * width * height)
      for start in stride(from: 0, to: rgba.count, by: 4) {
        for channel in start..<start + 3 { rgba[channel] = weighed(rgba[channel], rgba[start + 3], inverse: false) }
      }
      let channels = (0..<4).map { channel in
        plainScaled(stride(from: channel, to: rgba.count, by: 4).map { rgba[$0] }, width, height, newWidth, newHeight)
      }
      var result: [UInt8] = []
      for index in 0..<newWidth * newHeight {
        let alpha = channels[3][index]
        result += (0..<3).map { weighed(channels[$0][index], alpha, inverse: true) } + [alpha]
      }
      #expect(result.fnv1a == expected)
    }
  }
}

/// A lossy image scaled by the reference.
private func plainScaled(
  _ picture: PlainImage, _ width: Int, _ height: Int, _ format: WebP.PixelFormat
) -> [UInt8] {
  let source = (picture.width, picture.height)
  func scaled(_ plane: [UInt8]) -> [UInt8] { plainScaled(plane, source.0, source.1, width, height) }
  func scaledChroma(_ plane: [UInt8], _ width: Int, _ height: Int) -> [UInt8] {
    plainScaled(plane, picture.chromaWidth, picture.chromaHeight, width, height)
  }
  let alpha = picture.alpha.map(scaled) ?? [UInt8](repeating: 255, count: width * height)
  if format.isPlanar {
    var luma = picture.luma
    if format == .yuva, let alpha = picture.alpha {
      luma = zip(luma, alpha).map { weighed($0, $1, inverse: false) }
    }
    luma = scaled(luma)
    if format == .yuva { luma = zip(luma, alpha).map { weighed($0, $1, inverse: true) } }
    let chroma = [picture.u, picture.v].flatMap { scaledChroma($0, (width + 1) / 2, (height + 1) / 2) }
    return luma + (format == .luma ? [] : chroma) + (format == .yuva ? alpha : [])
  }
  let (luma, u, v) = (
    scaled(picture.luma), scaledChroma(picture.u, width, height), scaledChroma(picture.v, width, height)
  )
  var rgba: [UInt8] = []
  for index in 0..<width * height {
    let (r, g, b) = plainRGB(Int(luma[index]), Int(u[index]), Int(v[index]))
    rgba += [r, g, b, alpha[index]]
  }
  return plainPacked(rgba, as: format)
}

/// A sample multiplied by alpha, or divided by it.
private func weighed(_ sample: UInt8, _ alpha: UInt8, inverse: Bool) -> UInt8 {
  if alpha == 255 { return sample }
  if alpha == 0 { return 0 }
  let factor = inverse ? 255 * (1 << 24) / Int(alpha) : Int(alpha) * 65793
  return UInt8((Int(sample) * factor + (1 << 23)) % one / (1 << 24))
}

private let one = 1 << 32

/// A plane scaled by the reference: rows first, then columns.
private func plainScaled(_ plane: [UInt8], _ width: Int, _ height: Int, _ newWidth: Int, _ newHeight: Int) -> [UInt8] {
  let rows = (0..<height).map { plainScaledRow(plane[$0 * width..<($0 + 1) * width].map(Int.init), newWidth) }
  let step = newWidth > width ? newWidth - 1 : width
  var result: [UInt8] = []
  if newHeight > height {
    // Output row k is at k · (height − 1) / (newHeight − 1). The last row that was read is at this position or after
    // it.
    let scale = one / step % one
    for k in 0..<newHeight {
      let position = k * (height - 1)
      let next = (position + newHeight - 2) / (newHeight - 1)
      let back = (next * (newHeight - 1) - position) * one / (newHeight - 1)
      for x in 0..<newWidth {
        let mixed =
          back == 0 ? rows[next][x] : (rows[next][x] * (one - back) + rows[next - 1][x] * back + one / 2) / one
        result.append(UInt8(min(255, (mixed * scale + one / 2) / one)))
      }
    }
    return result
  }
  // Output row k ends at (k + 1) · height / newHeight. The source row that contains this position is split.
  let scale = newHeight * one / (step * height)
  var sums = [Int](repeating: 0, count: newWidth)
  var read = 0
  for k in 0..<newHeight {
    let end = (k + 1) * height
    while read * newHeight < end {
      for x in 0..<newWidth { sums[x] = (sums[x] + rows[read][x]) % one }
      read += 1
    }
    let part = one / newHeight % one * (read * newHeight - end) % one
    for x in 0..<newWidth {
      if scale >= one {
        result.append(UInt8(sums[x] % 256))
        sums[x] = 0
      } else {
        let rest = rows[read - 1][x] * part / one
        result.append(UInt8(min(255, ((sums[x] - rest) * scale + one / 2) / one)))
        sums[x] = rest
      }
    }
  }
  return result
}

private func plainScaledRow(_ row: [Int], _ width: Int) -> [Int] {
  if width > row.count {
    return (0..<width).map { k in
      let position = k * (row.count - 1)
      let left = k == 0 ? 0 : (position + width - 2) / (width - 1) - 1
      let right = min(max(left, 0) + 1, row.count - 1)
      let distance = position - max(left, 0) * (width - 1)
      return row[max(left, 0)] * (width - 1 - distance) + row[right] * distance
    }
  }
  let scale = one / width % one
  var sum = 0
  var read = 0
  return (0..<width).map { k in
    let end = (k + 1) * row.count
    var last = 0
    while read * width < end {
      last = row[read]
      sum += last
      read += 1
    }
    let beyond = last * (read * width - end)
    let result = sum * width - beyond
    sum = (beyond * scale + one / 2) / one
    return result
  }
}

extension [UInt8] {
  /// The 64-bit FNV-1a sum.
  fileprivate var fnv1a: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
