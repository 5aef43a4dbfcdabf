extension WebP {
  /// The default limits of the library on platforms with a 32-bit `Int`. They cannot be changed.
  public struct Limits: Hashable, Sendable {
    var maximumPixels: Int { 1 << 27 }
    var maximumFrames: Int { 1 << 18 }
    var maximumAnimationPixels: Int { .max }
  }
}

extension WebP.Limits {
  /// Whether `count` bytes may have so many pixels in an image: 2²⁴, and 2⁸ more for each byte.
  func allow(pixels: Int, ofBytes count: Int) -> Bool { (pixels &- 1 << 24 &+ 255) >> 8 <= count }

  /// Whether `count` bytes may have so many pixels in all frames: 2²⁵, and 2¹¹ more for each byte.
  func allow(animationPixels: Int, ofBytes count: Int) -> Bool { (animationPixels &- 1 << 25 &+ 2047) >> 11 <= count }

  /// Positions in a bitstream, and some way beyond its end, are counted in bits.
  func check(bytes count: Int, after before: Int = 0) throws(WebP.DecodeError) {
    guard count <= Int.max >> 3 - 1 << 24 - before else {
      throw WebP.DecodeError(.fileExceedsPlatform)
    }
  }
}
