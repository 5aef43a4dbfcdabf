#if !hasFeature(Embedded)
  /// Pictures of an animation's frames, decoded by other threads while the caller's draws the frames between them itself.
  ///
  ///     caller's       │ frame 0, on the canvas │ 1 │ frame 2, on the canvas │ 3 │ …
  ///                                               ▲                          ▲
  ///     one helper     │ frame 1, a picture ──────┘ │ frame 3, a picture ────┘
  ///
  /// So each helper has one picture, and the caller's thread none. All of them together have no more pixels than the limits
  /// allow one picture. (Tables of prefix codes come on top: see SECURITY.md.)
  struct FramesAhead: Sendable {
    private let animation: WebP.Animation
    private let options: WebP.DecodeOptions
    /// The first frame that was asked for.
    private let first: Int
    private var pictures: OrderedWorkQueue<Result<ContiguousArray<UInt8>, WebP.DecodeError>>
    /// Whose pictures these are, in order.
    private var frames: ContiguousArray<Int> = []
    /// No frame before this one is given to a helper any more.
    private var nextGiven: Int

    /// Nil: it does not pay, since there is one thread, or frames are small.
    init?(_ animation: WebP.Animation, from index: Int, format: WebP.PixelFormat) {
      let threads = animation.options.threads
      let areas = animation.frames.lazy.map { $0.width * $0.height }
      guard threads.pay(forFramesOf: areas.reduce(0, +) / areas.count) else { return nil }
      self.animation = animation
      options = animation.options.forFrames(format, threads: .one)
      pictures = OrderedWorkQueue(threads: threads.count)
      (first, nextGiven) = (index, index)
    }

    /// Has helpers decode frames behind one that is about to be drawn, or has been, but none from `end` on.
    mutating func decode(behind frame: Int, before end: Int) {
      nextGiven = max(nextGiven, frame + 1)
      while nextGiven < end, frames.count < threads - 1, mayDecode(nextGiven) {
        let (animation, options, index) = (animation, options, nextGiven)
        nextGiven += 1
        if (index - first) % threads == 0 { continue }
        pictures.add { Self.picture(of: index, in: animation, options) }
        frames.append(index)
      }
    }

    /// The picture of a frame, the next one; nil: it is the caller's to draw.
    mutating func picture(of frame: Int) throws(WebP.DecodeError) -> ContiguousArray<UInt8>? {
      guard frames.first == frame, let picture = pictures.next() else { return nil }
      frames.removeFirst()
      return try picture.get()
    }

    private var threads: Int { animation.options.threads.count }

    private func mayDecode(_ frame: Int) -> Bool {
      frames.reduce(area(of: frame)) { $0 + area(of: $1) } <= options.limits.maximumPixels
    }

    private func area(of index: Int) -> Int { animation.frames[index].width * animation.frames[index].height }

    private static func picture(
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
