#if !hasFeature(Embedded)
  /// The pictures of an animation's frames in order, several of them being decoded at the same time.
  ///
  ///     FramesAhead   │ frame n │ frame n + 1 │ …     each decoded by one thread
  ///                        ▼
  ///     FrameComposer    canvas
  ///
  /// There are as many frames on their way as threads, and of these no more than the limits allow one picture to have
  /// pixels: memory is bounded by what was allowed anyway.
  struct FramesAhead: Sendable {
    private let animation: WebP.Animation
    private let options: WebP.DecodeOptions
    private var pictures: ErrandLine<Result<ContiguousArray<UInt8>, WebP.DecodeError>>
    /// The next frame whose picture is taken, and the next one to be decoded.
    private var taken: Int
    private var given: Int
    /// Of the frames between these.
    private var pixels = 0

    /// Nil: it does not pay, since there is one thread, or frames are small.
    init?(_ animation: WebP.Animation, from index: Int, format: WebP.PixelFormat) {
      let threads = animation.options.threads
      let areas = animation.frames.lazy.map { $0.width * $0.height }
      guard threads.pay(forFramesOf: areas.reduce(0, +) / areas.count) else { return nil }
      self.animation = animation
      options = animation.options.forFrames(format, threads: .one)
      pictures = ErrandLine(threads: threads.count)
      (taken, given) = (index, index)
    }

    /// The picture of the next frame; in the meantime, those of others are decoded, but none from `end` on.
    mutating func next(before end: Int) throws(WebP.DecodeError) -> ContiguousArray<UInt8>? {
      decode(before: end)
      guard let picture = pictures.next() else { return nil }
      pixels -= area(of: taken)
      taken += 1
      decode(before: end)
      return try picture.get()
    }

    private mutating func decode(before end: Int) {
      while given < end, pictures.count < animation.options.threads.count,
        given == taken || pixels + area(of: given) <= options.limits.maximumPixels
      {
        let (animation, options, index) = (animation, options, given)
        pictures.add { Self.picture(of: index, in: animation, options) }
        pixels += area(of: given)
        given += 1
      }
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
