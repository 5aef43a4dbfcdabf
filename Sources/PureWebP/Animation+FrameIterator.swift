extension WebP.Animation: Sequence {
  public func makeIterator() -> FrameIterator { FrameIterator(self, from: 0) }

  /// Composes the frames of an animation, one in each call.
  ///
  /// If an image is released before the next call, the next frame reuses its memory.
  public struct FrameIterator: IteratorProtocol, Sendable {
    private var state: State

    init(_ animation: WebP.Animation, from index: Int) { state = State(animation, from: index) }

    #if !hasFeature(Embedded)
      var prefetcher: FramePrefetcher? { state.prefetcher }
    #endif

    /// The next frame. Nil at the end, and at a corrupt frame. ``nextFrame()`` distinguishes the two cases.
    public mutating func next() -> Frame? { try? nextFrame() }

    /// The next frame, or nil at the end.
    ///
    /// - Throws: At a corrupt frame, and again at each call after that. ``WebP/DecodeError/frame`` is its index.
    public mutating func nextFrame() throws(WebP.DecodeError) -> Frame? {
      try State.unique(&state).nextFrame()
    }

    /// Skips the frames before `index`: they are drawn if the frame needs them, but not converted to images.
    ///
    /// - Parameter index: an index at or after the index of the next frame.
    package mutating func advance(to index: Int) { State.unique(&state).advance(to: index) }

    /// A copy that is stored for a long time. It does not retain frames that were decoded in advance.
    package func checkpoint() -> Self {
      var copy = self
      State.unique(&copy.state).releasePrefetchedFrames()
      return copy
    }
  }
}

extension WebP.Animation.FrameIterator {
  /// The position in the animation, and its canvas.
  ///
  /// `@unchecked Sendable`: iterators that share a state copy it before they change it.
  fileprivate final class State: CopiedOnWrite, @unchecked Sendable {
    private let animation: WebP.Animation
    /// Nil before the first frame.
    private var composer: Optional<FrameComposer>
    /// The index of the next frame to return.
    private var index: Int
    /// The index of the next frame to draw.
    private var nextDrawn: Int
    private var error: Optional<WebP.DecodeError>
    #if !hasFeature(Embedded)
      /// Decodes frames in advance. Created when more than one frame remains to be drawn. Nil if the overhead would
      /// exceed the gain.
      private(set) var prefetcher: Optional<FramePrefetcher>
      private var isPrefetchChosen: Bool
      private var isFirst: Bool
    #endif

    init(_ animation: WebP.Animation, from index: Int) {
      self.animation = animation
      self.index = index
      nextDrawn = animation.frames.prefix(index + 1).lastIndex { $0.isKeyFrame } ?? 0
      (composer, error) = (nil, nil)
      #if !hasFeature(Embedded)
        (prefetcher, isPrefetchChosen, isFirst) = (nil, false, true)
      #endif
    }

    init(copying other: State) {
      animation = other.animation
      composer = other.composer.map { FrameComposer(copying: $0) }
      index = other.index
      nextDrawn = other.nextDrawn
      error = other.error
      #if !hasFeature(Embedded)
        prefetcher = other.prefetcher
        isPrefetchChosen = other.isPrefetchChosen
        isFirst = other.isFirst
      #endif
    }

    func nextFrame() throws(WebP.DecodeError) -> WebP.Animation.Frame? {
      if let error { throw error }
      let animation = animation
      guard index < animation.frames.count else {
        if let error = animation.recoveryError { throw error }
        return nil
      }
      do throws(WebP.DecodeError) {
        if composer == nil {
          composer = try FrameComposer(
            animation.canvasSize, byteCount: animation.bytes.count,
            options: animation.canvasOptions)
        }
        try draw(through: index)
        guard var image = try composer?.image().image else { return nil }
        if animation.options.isUpright { image = image.oriented(animation.appliedOrientation) }
        defer { index += 1 }
        return WebP.Animation.Frame(index: index, image: image, info: animation.frames[index])
      } catch {
        self.error = error
        throw error
      }
    }

    func advance(to target: Int) {
      index = target
      let skipped = animation.frames.prefix(target + 1).dropFirst(nextDrawn + 1)
      guard let key = skipped.lastIndex(where: { $0.isKeyFrame }) else { return }
      nextDrawn = key
      composer = nil
      releasePrefetchedFrames()
    }

    func releasePrefetchedFrames() {
      #if !hasFeature(Embedded)
        prefetcher = nil
        isPrefetchChosen = false
        isFirst = true
        composer?.options.threads = animation.options.threads
      #endif
    }

    private func draw(through last: Int) throws(WebP.DecodeError) {
      let animation = animation
      #if !hasFeature(Embedded)
        // The caller may need only one frame. Until it requests a second one, no frames after the first are prefetched.
        let end = isFirst ? last + 1 : animation.frames.count
        isFirst = false
        if !isPrefetchChosen, end - nextDrawn > 1, let composer {
          isPrefetchChosen = true
          prefetcher = FramePrefetcher(animation, from: nextDrawn, format: composer.format)
          if prefetcher != nil { self.composer?.options.threads = .one }
        }
      #endif
      while nextDrawn <= last {
        let (frame, number) = (animation.frames[nextDrawn], nextDrawn)
        nextDrawn += 1
        #if !hasFeature(Embedded)
          prefetcher?.decode(after: number, before: end)
          if let pixels = try prefetcher?.pixels(of: number) {
            composer?.draw(frame.demuxed, pixels: pixels)
            // Assigns further frames only now, because their pixels can reuse the memory of this image or of the canvas
            // that it replaced.
            prefetcher?.decode(after: number, before: end)
            continue
          }
        #endif
        try composer?.draw(frame.demuxed, number: number, animation.bytes.span, isComplete: true)
      }
    }
  }
}
