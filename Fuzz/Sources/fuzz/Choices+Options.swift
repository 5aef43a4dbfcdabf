import ConformanceGenerator

@testable import PureWebP

extension Choices {
  /// Returns random options. Most of them are valid for a small image.
  mutating func options() -> WebP.DecodeOptions {
    var options = WebP.DecodeOptions()
    options.format = WebP.PixelFormat.allCases[below(WebP.PixelFormat.allCases.count)]
    let flags = byte()
    options.upsampling = flags & 1 == 0 ? .fancy : .nearest
    options.bypassesLoopFilter = flags & 2 != 0
    options.flipsVertically = flags & 4 != 0
    if flags & 8 != 0 { options.dithering = strength() }
    if flags & 16 != 0 { options.alphaSmoothing = strength() }
    if flags & 32 != 0 { options.crop = crop() }
    if flags & 64 != 0 { options.size = size() }
    // A low pixel count per thread makes small images use two threads.
    options.threads = oneIn(2) ? .one : WebP.Threads(count: 2, batchPixels: 1 << within(4...10))
    // Low limits bound the time of an input.
    options.limits.maximumPixels = 1 << 16
    options.limits.maximumAnimationPixels = 1 << 18
    options.limits.maximumFrames = 64
    if flags & 128 != 0 {
      options.limits.maximumPixels = below(1 << 12)
      options.limits.maximumFrames = below(4)
      options.limits.unrestrictedPixels = below(1 << 12)
      options.limits.maximumPixelsPerByte = below(8)
      options.limits.maximumMetadataBytes = below(64)
    }
    return options
  }

  private mutating func strength() -> Int {
    oneIn(16) ? Int(Int8(bitPattern: byte())) : below(101)
  }

  private mutating func crop() -> WebP.Rectangle {
    if oneIn(64) { return WebP.Rectangle(x: any(), y: any(), width: any(), height: any()) }
    return WebP.Rectangle(x: below(24), y: below(24), width: below(48), height: below(48))
  }

  private mutating func size() -> WebP.OutputSize {
    let isHuge = oneIn(128)
    // Only one side is extreme. Two large sides would only test the allocation of memory.
    let (width, height) = isHuge ? (any(), below(2)) : (below(80), below(80))
    switch below(3) {
    case 0: return .exact(width: bound(width), height: bound(height))
    case 1: return .fit(width: bound(width), height: bound(height), enlarges: oneIn(2))
    default: return .fill(width: bound(width), height: bound(height), enlarges: oneIn(2))
    }
  }

  private mutating func bound(_ side: Int) -> Int? { oneIn(8) ? nil : side }

  /// Returns an extreme number.
  private mutating func any() -> Int {
    [0, 1, -1, .max, .min, 1 << 14, 1 << 31, 1 << 32, .max - 1][below(9)]
  }
}
