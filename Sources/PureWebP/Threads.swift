extension WebP {
  /// How many threads may work on a picture or an animation at the same time, the caller's among them.
  ///
  /// The pixels are the same with any number. A picture that is too small to gain from a second thread stays on one.
  /// Where there are none (WebAssembly, Embedded Swift), all is done by the caller's.
  public struct Threads: Hashable, Sendable {
    /// As many as make it faster: up to three for a picture, up to four for the frames of an
    /// animation.
    public static let automatic = Threads(count: 4)
    public static let one = Threads(count: 1)

    public static func atMost(_ count: Int) -> Threads { Threads(count: count) }

    #if canImport(Dispatch) && !hasFeature(Embedded)
      package let count: Int
    #else
      // A constant, so that what is there for more of them is left out.
      package var count: Int { 1 }
    #endif
    /// How many pixels a thread should be given at once: so many that their waiting for each other costs little.
    let pixelsAtOnce: Int

    /// - Parameter pixelsAtOnce: of a lossy picture.
    init(count: Int, pixelsAtOnce: Int = 1 << 17) {
      #if canImport(Dispatch) && !hasFeature(Embedded)
        self.count = max(1, count)
      #endif
      self.pixelsAtOnce = pixelsAtOnce
    }

    /// How many rows of a picture threads should be given at once. Nil: one thread does it all.
    func rowsAtOnce(width: Int, height: Int, isLossy: Bool) -> Int? {
      // Lossless pixels are the quicker ones by far where the picture is a plain graphic.
      let pixels = isLossy ? pixelsAtOnce : 2 * pixelsAtOnce
      guard count > 1, width * height >= 2 * pixels else { return nil }
      return (pixels + width - 1) / width
    }

    /// Whether it pays to give each thread a frame of so many pixels.
    func pay(forFramesOf pixels: Int) -> Bool { count > 1 && pixels >= pixelsAtOnce / 4 }
  }
}
