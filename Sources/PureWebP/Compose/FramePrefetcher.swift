#if !hasFeature(Embedded)
  /// Decodes frames of an animation on helper threads. Meanwhile, the caller's thread draws the frames between them.
  ///
  ///     caller's       │ frame 0, on the canvas │ 1 │ frame 2, on the canvas │ 3 │ …
  ///                                               ▲                          ▲
  ///     one helper     │ frame 1, to pixels ──────┘ │ frame 3, to pixels ────┘
  ///
  /// Each helper stores the pixels of one frame. All these frames together have at most as many pixels as the limits
  /// allow for one image. Tables of prefix codes need additional memory: see SECURITY.md.
  struct FramePrefetcher: Sendable {
    private let animation: WebP.Animation
    private let options: WebP.DecodeOptions
    private let threads: Int
    /// The first requested frame.
    private let first: Int
    private var images: OrderedWorkQueue<Result<ContiguousArray<UInt8>, WebP.DecodeError>>
    /// The indices of the frames that are being decoded, in order.
    private var frames: ContiguousArray<Int> = []
    /// The smallest index of a frame that may still be assigned to a helper.
    private var nextUnassigned: Int

    /// Nil if prefetching is not worth the cost, because there is only one thread or the frames are small.
    init?(_ animation: WebP.Animation, from index: Int, format: WebP.PixelFormat) {
      let threads = animation.options.threads.usable
      let areas = animation.frames.lazy.map { $0.demuxed.width * $0.demuxed.height }
      guard threads.shouldPrefetchFrames(of: areas.reduce(0, +) / areas.count) else { return nil }
      self.animation = animation
      self.threads = threads.count
      options = animation.options.forFrames(format, threads: .one)
      images = OrderedWorkQueue(threads: threads.count)
      (first, nextUnassigned) = (index, index)
    }

    /// Assigns frames after `frame`, and before `end`, to helpers.
    mutating func decode(after frame: Int, before end: Int) {
      nextUnassigned = max(nextUnassigned, frame + 1)
      while nextUnassigned < end, frames.count < threads - 1, mayDecode(nextUnassigned) {
        let (animation, options, index) = (animation, options, nextUnassigned)
        nextUnassigned += 1
        if (index - first) % threads == 0 { continue }
        images.add { Self.pixels(of: index, in: animation, options) }
        frames.append(index)
      }
    }

    /// The pixels of `frame`, which must be the next one. Nil if the caller must draw it.
    mutating func pixels(of frame: Int) throws(WebP.DecodeError) -> ContiguousArray<UInt8>? {
      guard frames.first == frame, let pixels = images.next() else { return nil }
      frames.removeFirst()
      return try pixels.get()
    }

    private func mayDecode(_ frame: Int) -> Bool {
      frames.reduce(area(of: frame)) { $0 + area(of: $1) } <= options.limits.maximumPixels
    }

    private func area(of index: Int) -> Int {
      animation.frames[index].demuxed.width * animation.frames[index].demuxed.height
    }

    private static func pixels(
      of index: Int, in animation: WebP.Animation, _ options: WebP.DecodeOptions
    ) -> Result<ContiguousArray<UInt8>, WebP.DecodeError> {
      do throws(WebP.DecodeError) {
        return .success(try animation.decodeFrame(at: index, options).pixels)
      } catch {
        return .failure(error)
      }
    }
  }
#endif
