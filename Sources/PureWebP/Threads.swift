extension WebP {
  /// How many threads may work on a picture or an animation at the same time, the caller's among them.
  ///
  /// The pixels are the same with any number. A picture that is too small to gain from a second thread stays on one.
  /// Where there are none (WebAssembly, Embedded Swift), all is done by the caller's.
  public struct Threads: Hashable, Sendable {
    /// As many as make it faster: up to four.
    public static let automatic = Threads(count: 4)
    /// The caller's alone.
    public static let one = Threads(count: 1)

    /// So many, or fewer where that is as fast; 1 is the least, 64 the most.
    public static func atMost(_ count: Int) -> Threads { Threads(count: count) }

    #if canImport(Dispatch) && !hasFeature(Embedded)
      package let count: Int
    #else
      // A constant, so that what is there for more of them is left out.
      package var count: Int { 1 }
    #endif
    /// How many pixels threads give each other at once: so many that what else it takes does not matter.
    let pixelsAtOnce: Int

    init(count: Int, pixelsAtOnce: Int = 1 << 15) {
      #if canImport(Dispatch) && !hasFeature(Embedded)
        self.count = min(max(1, count), 64)
      #endif
      self.pixelsAtOnce = pixelsAtOnce
    }

    /// How a picture is shared among threads: how many work on it, and on batches of how many rows.
    ///
    /// - Parameters:
    ///   - rowsTogether: a batch's rows are a multiple of this.
    ///   - part: of `pixelsAtOnce`, what a batch has at the most, unless `rowsTogether` rows are more.
    func share(
      width: Int, height: Int, rowsTogether: Int, part: Int = 1
    ) -> (threads: Threads, rows: Int) {
      guard count > 1, width * height >= 8 * pixelsAtOnce else { return (.one, rowsTogether) }
      let together = rowsTogether * width
      return (self, max(1, pixelsAtOnce / part / together) * rowsTogether)
    }

    /// Whether it pays to give each thread a frame of so many pixels.
    func pay(forFramesOf pixels: Int) -> Bool { count > 1 && pixels >= pixelsAtOnce }
  }
}
