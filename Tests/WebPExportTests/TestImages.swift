import ConformanceGenerator
import PureWebP

/// Images for the writers, generated from a seed.
enum TestImages {
  /// Odd and even sizes, including single pixels, rows and columns.
  static let sizes = [(1, 1), (1, 9), (9, 1), (2, 2), (5, 3), (8, 8), (17, 33), (64, 40)]

  /// - Parameter color: returns R, G, B and A at a position.
  static func make(
    _ width: Int, _ height: Int, _ format: WebP.PixelFormat, _ color: (_ x: Int, _ y: Int) -> [UInt8]
  ) -> WebP.Image {
    var pixels = ContiguousArray<UInt8>()
    for y in 0..<height {
      for x in 0..<width {
        let rgba = color(x, y)
        switch format {
        case .rgba, .rgbaPremultiplied: pixels += rgba
        case .bgra: pixels += [rgba[2], rgba[1], rgba[0], rgba[3]]
        case .argb, .argbPremultiplied: pixels += [rgba[3], rgba[0], rgba[1], rgba[2]]
        case .rgb: pixels += rgba[..<3]
        case .bgr: pixels += rgba[..<3].reversed()
        default: fatalError("use `planes` for planar formats")
        }
      }
    }
    return image(width, height, format, pixels)
  }

  static func planes(_ width: Int, _ height: Int, _ format: WebP.PixelFormat, seed: UInt64) -> WebP.Image {
    var random = SplitMix64(seed: seed)
    let count = WebP.Layout(format: format, width: width, height: height)!.byteCount
    return image(width, height, format, .init((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))
  }

  private static func image(
    _ width: Int, _ height: Int, _ format: WebP.PixelFormat, _ pixels: ContiguousArray<UInt8>
  ) -> WebP.Image {
    WebP.Image(width: width, height: height, format: format, pixels: pixels)!
  }
}

/// The color patterns of the images.
enum Subject: String, CaseIterable {
  case noise, noiseWithAlpha, ramp, rampWithAlpha, flat, clear, grayNoise, grayRamp, grayWithAlpha
  case colors2, colors3, colors5, colors16, colors17, colors256, colors257, colorsWithAlpha, grays4, grays16

  func color() -> (_ x: Int, _ y: Int) -> [UInt8] {
    var random = SplitMix64(seed: 7)
    func byte(_ number: Int) -> UInt8 { UInt8(truncatingIfNeeded: number) }
    func any() -> UInt8 { UInt8.random(in: 0...255, using: &random) }
    func few(_ count: Int) -> (Int, Int) -> [UInt8] {
      { x, y in
        let index = (x * 31 + y * 17) % count
        return [byte(index), byte(index >> 8), byte(200 - index), 255]
      }
    }
    switch self {
    case .noise: return { _, _ in [any(), any(), any(), 255] }
    case .noiseWithAlpha: return { _, _ in [any(), any(), any(), any()] }
    case .ramp: return { x, y in [byte(x * 3), byte(y * 2), byte(x + y), 255] }
    case .rampWithAlpha: return { x, y in [byte(x * 3), byte(y * 2), byte(x + y), byte(y * 5 + x)] }
    case .flat: return { _, _ in [12, 200, 99, 255] }
    case .clear: return { _, _ in [0, 0, 0, 0] }
    case .grayNoise:
      return { _, _ in
        let gray = any()
        return [gray, gray, gray, 255]
      }
    case .grayRamp: return { x, y in [byte(x + y), byte(x + y), byte(x + y), 255] }
    case .grayWithAlpha: return { x, y in [byte(x * y), byte(x * y), byte(x * y), byte(x + 3 * y)] }
    case .colors2: return few(2)
    case .colors3: return few(3)
    case .colors5: return few(5)
    case .colors16: return few(16)
    case .colors17: return few(17)
    case .colors256: return few(256)
    case .colors257: return few(257)
    case .colorsWithAlpha: return { x, y in [[9, 8, 7, 255], [1, 2, 3, 128], [0, 0, 0, 0]][(x + y) % 3] }
    case .grays4: return { x, y in [[0, 0, 0, 255], [85, 85, 85, 255], [170, 170, 170, 255]][(x * y) % 3] }
    case .grays16:
      return { x, y in
        let gray = byte((x * 31 + y * 17) % 16 * 7)
        return [gray, gray, gray, 255]
      }
    }
  }
}
