internal import WebPFormat

extension WebP {
  /// Composes the frames of an animation while its bytes arrive.
  ///
  /// ```swift
  /// var animation = WebP.StreamingAnimation()
  /// for chunk in chunks {
  ///   try animation.append(chunk)
  ///   while let frame = try animation.nextFrame() { show(frame.image) }
  ///   if let part = try animation.partialFrame() { show(part.image, part.rows) }
  /// }
  /// try animation.finish()
  /// while let frame = try animation.nextFrame() { show(frame.image) }
  /// ```
  ///
  /// The value stores the bytes, one canvas, and the pixels of at most one frame (with one thread, only some of its
  /// rows). ``append(_:)-(Collection<UInt8>)`` reads only the structure of the file. ``nextFrame()`` and
  /// ``partialFrame()`` decode. A still image is an animation of one frame, as with ``Animation``.
  public struct StreamingAnimation: Sendable {
    private var state: State

    /// Creates a decoder without input.
    public init(options: DecodeOptions = DecodeOptions()) { state = State(options: options) }

    /// Appends the next bytes, and finds the frames that they complete.
    ///
    /// - Throws: If the file is corrupt or exceeds the limits. Further calls throw the same error. If ``nextFrame()``
    ///   has not yet returned all frames before the error, the error is deferred until it has.
    @inlinable  // An unspecialized generic call takes longer than the work for a single byte.
    public mutating func append(_ bytes: some Collection<UInt8>) throws(DecodeError) {
      if accepts(bytes.count) { bytes.withSpan { take($0) } }
      try checkError()
    }

    /// Appends the next bytes, and finds the frames that they complete.
    public mutating func append(_ bytes: Span<UInt8>) throws(DecodeError) {
      if accepts(bytes.count) { take(bytes) }
      try checkError()
    }

    /// Counts the next bytes.
    ///
    /// - Returns: True if the decoder needs these bytes.
    @usableFromInline
    mutating func accepts(_ count: Int) -> Bool { State.unique(&state).accepts(count) }

    @usableFromInline
    mutating func take(_ bytes: Span<UInt8>) { State.unique(&state).take(bytes) }

    /// - Throws: An error that is not deferred.
    @usableFromInline
    func checkError() throws(DecodeError) {
      if let error = state.error { throw error }
    }

    /// Declares that no bytes follow.
    ///
    /// - Throws: If the file is incomplete. The error is deferred as in ``append(_:)-(Collection<UInt8>)``. The rows of
    ///   ``partialFrame()`` stay available.
    public mutating func finish() throws(DecodeError) {
      State.unique(&state).finish()
      try checkError()
    }

    /// The next frame. Nil if its bytes are incomplete, or if all frames have been returned. Before ``finish()``, it is
    /// also nil while ``Limits`` do not allow the conversion of another canvas for the bytes that have arrived.
    ///
    /// - Throws: At a corrupt frame, and after the last frame of a file that is truncated or corrupt. The same error is
    ///   thrown by further calls.
    public mutating func nextFrame() throws(DecodeError) -> Animation.Frame? {
      try State.unique(&state).nextFrame(pixelLimit: .max).frame
    }

    /// The next frame, as ``nextFrame()`` returns it.
    ///
    /// - Parameter pixelLimit: about the number of pixels that are decoded or converted.
    /// - Returns: `isPaused` if decoding stopped at the limit, so that another call can continue without more bytes.
    mutating func nextFrame(pixelLimit: Int) throws(DecodeError) -> (frame: Animation.Frame?, isPaused: Bool) {
      try State.unique(&state).nextFrame(pixelLimit: pixelLimit)
    }

    /// The canvas with the available rows of the next frame, and the range of these rows in the image. The range starts
    /// with the first row of the frame. In a flipped image, it ends with this row. Nil if too few rows have become
    /// available since the last call.
    ///
    /// Call this method after `nextFrame()` has returned all complete frames. The rows in the range are final. The rest
    /// of the canvas still shows the previous frame, after its disposal. In planar formats, the row after the range may
    /// already be written. If the image is scaled, the range excludes rows that depend on pixels outside of the
    /// available rows.
    ///
    /// A partial frame may cost as much as a complete one. Therefore the result is nil unless a sixteenth of the
    /// canvas's rows is new. After `finish()`, one new row suffices. A partial frame whose pixels must be converted
    /// counts toward ``Limits`` like a complete frame.
    ///
    /// - Throws: If the frame is corrupt, and again in each further call.
    public mutating func partialFrame() throws(DecodeError) -> (image: Image, rows: Range<Int>)? {
      try State.unique(&state).partialFrame()
    }
  }
}

// MARK: State

extension WebP.StreamingAnimation {
  /// The properties of the file that are known. Nil until the headers are available. After ``finish()``, no member is
  /// nil.
  public var info: WebP.PrefixInfo? { state.info }

  /// The metadata chunks that have arrived. Exif and XMP usually follow the frames: append the bytes after
  /// ``isFinished`` too.
  public var metadata: WebP.Metadata { state.chunks.metadata }

  /// The background color that the file suggests. Valid once the first frame is available.
  package var backgroundColor: WebP.Color { WebP.Color(argb: state.demuxer.animation.backgroundColor) }

  /// The frames whose bytes are complete.
  public var frames: [WebP.Animation.FrameInfo] { state.frames }

  /// Indicates whether all frames are available. After an error the rest of the file is not read,
  /// so it may stay false after all bytes have arrived.
  public var isFinished: Bool { state.demuxer.isFinished }
}

extension WebP.StreamingAnimation {
  /// The bytes received so far, and the canvas.
  ///
  /// `@unchecked Sendable`: values that share a state copy it before they change it.
  fileprivate final class State: CopiedOnWrite, @unchecked Sendable {
    private let options: WebP.DecodeOptions
    /// The bytes up to the end of the frames, or up to an error.
    private var bytes: ContiguousArray<UInt8>
    /// The number of bytes that have arrived, including bytes that are not stored.
    private var byteCount: Int
    /// Indicates whether more bytes may arrive.
    private var mayGrow: Bool
    private(set) var demuxer: Demuxer
    private(set) var chunks: MetadataCollector
    private var headers: ImageHeaderParser
    /// The frames whose bytes are complete.
    private(set) var frames: [WebP.Animation.FrameInfo]
    private var composer: Optional<FrameComposer>
    /// The conversion of the drawn canvas. Nil unless it has begun.
    private var conversion: Optional<CanvasConversion>
    /// The number of frames that have been returned.
    private var returnedFrames: Int
    /// The number of frames that have been drawn.
    private var drawnFrames: Int
    /// The number of rows of the next frame that `partialFrame` has returned, before and after scaling.
    private var returnedRows: (ofFrame: Int, ofImage: Int)
    /// Another attempt to decode rows of the next frame waits until its available bytes extend to this offset.
    private var nextAttempt: Int
    /// An error in the file's structure, after the frames that have been found.
    private var structureError: Optional<WebP.DecodeError>
    /// An error in a frame's bitstream.
    private var frameError: Optional<WebP.DecodeError>

    init(options: WebP.DecodeOptions) {
      self.options = options
      demuxer = Demuxer(limits: options.limits.plain)
      (chunks, headers) = (MetadataCollector(limits: options.limits), ImageHeaderParser())
      (bytes, byteCount, mayGrow, frames, composer, conversion, nextAttempt) = ([], 0, true, [], nil, nil, 0)
      (returnedFrames, drawnFrames, returnedRows) = (0, 0, (0, 0))
      (structureError, frameError) = (nil, nil)
    }

    init(copying other: State) {
      options = other.options
      bytes = other.bytes
      byteCount = other.byteCount
      mayGrow = other.mayGrow
      demuxer = other.demuxer
      chunks = other.chunks
      headers = other.headers
      frames = other.frames
      composer = other.composer.map { FrameComposer(copying: $0) }
      conversion = other.conversion
      returnedFrames = other.returnedFrames
      drawnFrames = other.drawnFrames
      returnedRows = other.returnedRows
      nextAttempt = other.nextAttempt
      structureError = other.structureError
      frameError = other.frameError
    }

    var info: WebP.PrefixInfo? {
      guard let header = headers.info, headers.isFinished || !mayGrow else { return nil }
      return WebP.PrefixInfo(
        header, chunks, count: mayGrow ? nil : byteCount, isComplete: !mayGrow || chunks.isComplete)
    }

    /// The error to throw now. An error after frames that have not been returned is deferred.
    var error: WebP.DecodeError? {
      frameError ?? (returnedFrames < frames.count ? nil : structureError)
    }

    func accepts(_ count: Int) -> Bool {
      let isOver = demuxer.isFinished || structureError != nil || frameError != nil
      do throws(WebP.DecodeError) {
        try options.limits.check(bytes: byteCount, adding: count)
      } catch {
        if !isOver { structureError = error }
        return false
      }
      byteCount += count
      return !isOver || demuxer.isFinished && !chunks.isComplete
    }

    /// Takes the next bytes. After the last frame, only metadata is stored.
    func take(_ bytes: Span<UInt8>) {
      chunks.append(bytes)
      guard !demuxer.isFinished else { return }
      self.bytes.append(copying: bytes)
      read(isComplete: false)
    }

    func finish() {
      mayGrow = false
      read(isComplete: true)
    }

    private func read(isComplete: Bool) {
      guard structureError == nil else { return }
      let bytes = bytes
      if !headers.isFinished { try? headers.parse(bytes.span, need: .headers) }
      do {
        try demuxer.read(bytes.span, of: byteCount, isComplete: isComplete)
      } catch {
        structureError = WebP.DecodeError(error)
      }
      frames += demuxer.newFrames.map { WebP.Animation.FrameInfo($0) }
    }

    func nextFrame(pixelLimit: Int) throws(WebP.DecodeError) -> (frame: WebP.Animation.Frame?, isPaused: Bool) {
      if let frameError { throw frameError }
      guard returnedFrames < frames.count else {
        if let structureError { throw structureError }
        return (nil, false)
      }
      let frame = frames[returnedFrames]
      try draw(frame.demuxed, isComplete: true, pixelLimit: pixelLimit)
      guard drawnFrames > returnedFrames else { return (nil, true) }
      let (image, isPaused) = try nextImage(pixelLimit: pixelLimit)
      guard let image else { return (nil, isPaused) }
      defer { (returnedFrames, returnedRows) = (returnedFrames + 1, (0, 0)) }
      return (WebP.Animation.Frame(index: returnedFrames, image: image, info: frame), false)
    }

    /// Converts the canvas. The image is nil if the conversion stopped at the limit, or if it exceeds the limits as
    /// long as more bytes may arrive.
    private func nextImage(pixelLimit: Int) throws(WebP.DecodeError) -> (image: WebP.Image?, isPaused: Bool) {
      guard let composer else { return (nil, false) }
      guard composer.needsConversion else { return (try composer.image().image, false) }
      if conversion == nil {
        composer.budget.byteCount = byteCount
        do {
          conversion = try composer.countedConversion()
        } catch {
          guard error.kind == .limitExceeded, mayGrow else { throw error }
          return (nil, false)
        }
      }
      guard let image = conversion?.nextImage(of: composer, pixelLimit: pixelLimit) else { return (nil, true) }
      conversion = nil
      return (image, false)
    }

    func partialFrame() throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>)? {
      if let frameError { throw frameError }
      guard returnedFrames == frames.count, let frame = demuxer.partialFrame else { return nil }
      if frame.bytes.upperBound >= nextAttempt || !mayGrow {
        nextAttempt = frame.bytes.upperBound + frame.bytes.count / 1024 + 1
        try draw(frame, isComplete: false)
      }
      let rows = drawnFrames > returnedFrames ? frame.height : composer?.finishedRows ?? 0
      let newRows = rows - returnedRows.ofFrame
      guard newRows * 16 >= demuxer.height || newRows > 0 && !mayGrow else { return nil }
      guard let part = try image(part: frame.y..<frame.y + rows) else { return nil }
      defer { returnedRows = (rows, part.rows.count) }
      return part.rows.count > returnedRows.ofImage ? part : nil
    }

    /// The image of the canvas, and the range of its rows that show a part of the canvas. Nil if the conversion exceeds
    /// the limits.
    private func image(part: Range<Int>) throws(WebP.DecodeError) -> (image: WebP.Image, rows: Range<Int>)? {
      composer?.budget.byteCount = byteCount
      do {
        return try composer?.image(part: part)
      } catch {
        guard error.kind == .limitExceeded else { throw error }
        return nil
      }
    }

    /// Draws as much of the next frame as possible.
    private func draw(
      _ frame: DemuxedFrame, isComplete: Bool, pixelLimit: Int = .max
    ) throws(WebP.DecodeError) {
      guard drawnFrames == returnedFrames else { return }
      let bytes = bytes
      do throws(WebP.DecodeError) {
        if composer == nil {
          composer = try FrameComposer(
            WebP.Size(width: demuxer.width, height: demuxer.height), byteCount: byteCount, options: options)
        }
        let isDrawn = try composer?.draw(
          frame, number: drawnFrames, bytes.span, isComplete: isComplete, pixelLimit: pixelLimit)
        if isDrawn == true { drawnFrames += 1 }
      } catch {
        frameError = error
        throw error
      }
    }
  }
}
