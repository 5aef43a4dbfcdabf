extension WebP {
  /// Composes an animation's frames while its bytes come.
  ///
  /// ```swift
  /// var animation = WebP.StreamingAnimation()
  /// for chunk in chunks {
  ///   animation.append(chunk)
  ///   while let frame = try animation.nextFrame() { show(frame.image) }
  ///   if let part = try animation.partialFrame() { show(part.image, part.rows) }
  /// }
  /// animation.finish()
  /// while let frame = try animation.nextFrame() { show(frame.image) }
  /// ```
  ///
  /// It holds the bytes, one canvas, and at most one frame's pixels beside it: on one thread some of its rows. Frames are
  /// drawn when they are asked for.
  /// A still picture is an animation of one frame, as with ``Animation``.
  public struct StreamingAnimation: Sendable {
    private var state: State

    public init(options: DecodeOptions = DecodeOptions()) { state = State(options: options) }

    /// Takes the next bytes. What is wrong with them is told by `nextFrame()`, in its place behind the frames before it.
    ///
    /// Bytes behind the last frame, behind damage or beyond the limit are left alone.
    @inlinable  // as StreamingDecoder's
    public mutating func append(_ bytes: some Collection<UInt8>) {
      if wants(bytes.count) { bytes.withSpan { take($0) } }
    }

    /// The same for bytes in a span.
    public mutating func append(_ bytes: Span<UInt8>) {
      if wants(bytes.count) { take(bytes) }
    }

    /// Counts the next bytes.
    ///
    /// - Returns: whether they are of use.
    @usableFromInline
    mutating func wants(_ count: Int) -> Bool { State.unique(&state).wants(count) }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) { State.unique(&state).take(bytes) }

    /// Tells that no more bytes will come. If some are missing, `nextFrame()` will throw after the frames that are whole.
    public mutating func finish() { State.unique(&state).finish() }

    /// The next frame, or nil if its bytes are not all there, or there is none; or if, before `finish()`, the file is too
    /// small so far for canvases that have to be converted (``Limits``).
    ///
    /// - Throws: at a damaged frame, and again at each call after that; also at the end of the frames of a file that is
    ///   damaged behind them, or cut off.
    public mutating func nextFrame() throws(DecodeError) -> Animation.Frame? {
      try State.unique(&state).nextFrame()
    }

    /// The canvas with those rows of the next frame that are there, and which rows of the image these are, from the
    /// frame's first one on; where the image is flipped, from below. Nil if there are no more than at the last call, or
    /// too few.
    ///
    /// To be asked after all whole frames have been taken with `nextFrame()`. The rows stay as they are; beyond them the
    /// canvas is still that of the frame before, after its disposal; but in planar formats a next row may be there.
    /// Where the image is scaled, rows that show the frame and what is beyond it are not told.
    ///
    /// A part may cost as much as a frame. So there is one when a sixteenth of the canvas's rows is new; after `finish()`,
    /// also for fewer; and where parts have to be converted, as many as ``Limits`` allow frames for the bytes that there are.
    ///
    /// - Throws: if the frame is damaged, and again at each call after that.
    public mutating func partialFrame() throws(DecodeError) -> (image: Image, rows: Range<Int>)? {
      try State.unique(&state).partialFrame()
    }
  }
}

// MARK: What there is so far

extension WebP.StreamingAnimation {
  /// The size of the canvas, in pixels, as soon as it is known.
  public var size: (width: Int, height: Int)? {
    state.demuxer.canvas.width > 0 ? (state.demuxer.canvas.width, state.demuxer.canvas.height) : nil
  }

  /// How many times the animation is meant to be shown; 0: for ever. It is told before the first frame.
  public var loopCount: Int { state.demuxer.animation.loopCount }

  /// What the file would like behind the canvas, as 0xAARRGGBB. It is told before the first frame.
  public var backgroundColor: UInt32 { state.demuxer.animation.backgroundColor }

  /// The frames whose bytes are all there.
  public var frames: [WebP.Animation.FrameInfo] { state.demuxer.canvas.frames }

  /// Whether all frames of the file are there. Behind damage nothing is looked for: it may then stay false when all bytes
  /// have come.
  public var isFinished: Bool { state.demuxer.isFinished }
}

extension WebP.StreamingAnimation {
  /// The bytes received so far, and the canvas.
  ///
  /// `@unchecked Sendable`: values that share a state copy it before they change it.
  fileprivate final class State: CopiedOnWrite, @unchecked Sendable {
    private let options: WebP.DecodeOptions
    /// Those up to the end of the frames, or to what is wrong with them.
    private var bytes: ContiguousArray<UInt8> = []
    /// How many have come, also behind those.
    private var byteCount = 0
    /// Whether more bytes may come.
    private var mayGrow = true
    private(set) var demuxer: Demuxer
    private var composer: FrameComposer?
    /// How many frames have been given out.
    private var shownFrames = 0
    /// How many frames are drawn.
    private var drawnFrames = 0
    /// How many rows of the next frame have been told, and how many of the image these were.
    private var toldRows = (ofFrame: 0, ofImage: 0)
    /// How far the next frame's bytes have to have come before it is worth while to look for more of its rows.
    private var nextAttempt = 0
    /// What is wrong with the file's structure, after the frames that there are.
    private var damage: WebP.DecodeError?
    /// What is wrong with a frame's picture.
    private var failure: WebP.DecodeError?

    init(options: WebP.DecodeOptions) {
      self.options = options
      demuxer = Demuxer(limits: options.limits)
    }

    init(copying other: State) {
      options = other.options
      bytes = other.bytes
      byteCount = other.byteCount
      mayGrow = other.mayGrow
      demuxer = other.demuxer
      composer = other.composer
      shownFrames = other.shownFrames
      drawnFrames = other.drawnFrames
      toldRows = other.toldRows
      nextAttempt = other.nextAttempt
      damage = other.damage
      failure = other.failure
    }

    func wants(_ count: Int) -> Bool {
      let isOver = demuxer.isFinished || damage != nil || failure != nil
      do throws(WebP.DecodeError) {
        try options.limits.check(bytes: byteCount, adding: count)
      } catch {
        if !isOver { damage = error }
        return false
      }
      byteCount += count
      return !isOver
    }

    func take(_ bytes: Span<UInt8>) {
      self.bytes.append(copying: bytes)
      read(isComplete: false)
    }

    func finish() {
      mayGrow = false
      read(isComplete: true)
    }

    private func read(isComplete: Bool) {
      guard damage == nil else { return }
      let bytes = bytes
      do {
        try demuxer.read(bytes.span, of: byteCount, isComplete: isComplete)
      } catch {
        damage = error
      }
    }

    func nextFrame() throws(WebP.DecodeError) -> WebP.Animation.Frame? {
      if let failure { throw failure }
      guard shownFrames < demuxer.canvas.frames.count else {
        if let damage { throw damage }
        return nil
      }
      let frame = demuxer.canvas.frames[shownFrames]
      try draw(frame, isComplete: true)
      guard let image = try image()?.image else { return nil }
      defer { (shownFrames, toldRows) = (shownFrames + 1, (0, 0)) }
      return WebP.Animation.Frame(index: shownFrames, image: image, info: frame)
    }

    func partialFrame() throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>)? {
      if let failure { throw failure }
      guard shownFrames == demuxer.canvas.frames.count, let frame = demuxer.canvas.partialFrame else { return nil }
      if frame.bytes.upperBound >= nextAttempt || !mayGrow {
        nextAttempt = frame.bytes.upperBound + frame.bytes.count / 1024 + 1
        try draw(frame, isComplete: false)
      }
      let rows = drawnFrames > shownFrames ? frame.height : composer?.finishedRows ?? 0
      let newRows = rows - toldRows.ofFrame
      guard newRows * 16 >= demuxer.canvas.height || newRows > 0 && !mayGrow else { return nil }
      guard let part = try image(part: frame.y..<frame.y + rows) else { return nil }
      defer { toldRows = (rows, part.rows.count) }
      return part.rows.count > toldRows.ofImage ? part : nil
    }

    /// The canvas, or a part, and which rows of the image that is. Nil where it is to be scaled to more pixels, or more
    /// are to be converted, than the limits allow for the bytes that have come, if there may be more of them, or for a part.
    private func image(part: Range<Int>? = nil) throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>)? {
      composer?.byteCount = byteCount
      do {
        return try composer?.image(options, part: part)
      } catch {
        guard error.kind == .limitExceeded, mayGrow || part != nil else { throw error }
        return nil
      }
    }

    /// Draws the next frame as far as it goes.
    private func draw(_ frame: WebP.Animation.FrameInfo, isComplete: Bool) throws(WebP.DecodeError) {
      guard drawnFrames == shownFrames else { return }
      let bytes = bytes
      do throws(WebP.DecodeError) {
        if composer == nil {
          composer = try FrameComposer(
            width: demuxer.canvas.width, height: demuxer.canvas.height, byteCount: byteCount, options: options,
            format: options.composedFormat)
        }
        let isDrawn = try composer?.draw(frame, number: drawnFrames, bytes.span, isComplete: isComplete) ?? false
        if isDrawn { drawnFrames += 1 }
      } catch {
        failure = error
        throw error
      }
    }
  }
}
