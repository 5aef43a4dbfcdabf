extension WebP {
  /// The maximum number of threads that decode an image or an animation at the same time, including the caller's.
  ///
  /// The pixels do not depend on the number of threads. An image that is too small to benefit from a second thread is
  /// decoded on one. On platforms without threads (WebAssembly, Embedded Swift), the caller's thread does all work.
  public struct Threads: Hashable, Sendable {
    /// At most four threads, or fewer if that is as fast.
    public static let automatic = Threads(count: 4)
    /// The caller's thread only.
    public static let one = Threads(count: 1)

    /// At most `count` threads, or fewer if that is as fast. Values outside of 1...64 are clamped.
    public static func atMost(_ count: Int) -> Threads { Threads(count: count) }

    #if canImport(CThreads) || (canImport(Dispatch) && !hasFeature(Embedded))
      package let count: Int
      static var areSupported: Bool { true }
    #else
      // Constants, so that the compiler removes the code for several threads.
      package var count: Int { 1 }
      static var areSupported: Bool { false }
    #endif
    /// The number of pixels in a batch of a lossy image that one thread passes to another. It is large enough to make
    /// the cost of synchronization negligible.
    let batchPixels: Int

    init(count: Int, batchPixels: Int = 1 << 16) {
      #if canImport(CThreads) || (canImport(Dispatch) && !hasFeature(Embedded))
        self.count = min(max(1, count), 64)
      #endif
      self.batchPixels = batchPixels
    }

    /// The number of threads for an image, and the number of rows in their batches.
    ///
    /// - Parameters:
    ///   - rowsTogether: the number of rows of a batch is a multiple of this.
    ///   - part: a batch has at most `batchPixels` / `part` pixels, unless `rowsTogether` rows have more.
    ///   - minimum: the image is decoded on one thread if it has fewer than `minimum` · `batchPixels` pixels.
    func share(
      width: Int, height: Int, rowsTogether: Int, part: Int = 1, minimum: Int = 8
    ) -> (threads: Threads, rows: Int) {
      guard count > 1, width * height >= minimum * batchPixels else { return (.one, rowsTogether) }
      let threads = usable
      guard threads.count > 1 else { return (.one, rowsTogether) }
      // At least eight batches, so that all threads are busy most of the time.
      let pixels = min(batchPixels, width * height / 8)
      return (threads, max(1, pixels / part / (rowsTogether * width)) * rowsTogether)
    }

    /// These threads, or as many as the machine has helpers for.
    package var usable: Threads {
      count > 1 ? Threads(count: min(count, HelperPool.limit + 1), batchPixels: batchPixels) : self
    }

    /// Returns whether decoding each frame on a separate thread is worth the overhead for frames of this size.
    func shouldPrefetchFrames(of pixels: Int) -> Bool { count > 1 && pixels >= batchPixels / 2 }
  }
}
