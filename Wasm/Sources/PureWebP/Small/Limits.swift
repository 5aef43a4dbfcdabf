extension WebP {
  /// In place of Limits.swift: those of a new value, which nobody changes here. The sizes that an `Int` of 32 bits has are
  /// a limit themselves.
  public struct Limits: Hashable, Sendable {
    var maximumPixels: Int { 1 << 27 }
    var maximumFrames: Int { 1 << 18 }
    var maximumTotalPixels: Int { .max }
  }
}

extension WebP.Limits {
  /// Whether so few bytes may have so many pixels: 256 for each, and 1 << 24 more.
  func allow(pixels: Int, ofBytes count: Int) -> Bool { (pixels &- 1 << 24 &+ 255) >> 8 <= count }

  /// Whether they may have so many in all frames: 512 for each, and 1 << 24 more.
  func allow(totalPixels: Int, ofBytes count: Int) -> Bool { (totalPixels &- 1 << 24 &+ 511) >> 9 <= count }

  /// Places in a stream, and somewhat behind it, are counted in bits.
  func check(bytes count: Int, after before: Int = 0) throws(WebP.DecodeError) {
    guard count <= Int.max >> 3 - 1 << 24 - before else {
      throw WebP.DecodeError(.limitExceeded, "more bytes than can be counted")
    }
  }
}
