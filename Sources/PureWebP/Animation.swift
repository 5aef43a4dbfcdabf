extension WebP {
  /// A file's frames, composed on their canvas one after another when they are asked for.
  ///
  /// ```swift
  /// let animation = try WebP.Animation(bytes)
  /// for frame in animation { show(frame.image, for: frame.duration) }
  /// let seventh = try animation.frame(at: 7)
  /// ```
  ///
  /// A still picture is an animation of one frame, if its file keeps the rules that libwebp has for animations: they are
  /// stricter than those by which it decodes one picture. The value holds the file's bytes and where the frames are in
  /// them, no pixels; playing it takes the memory of a canvas, and of one more frame for each thread beyond the first,
  /// however many frames there are.
  ///
  /// Frames come in the format that the options ask for. Those of the formats R G B A and B G R A, premultiplied or not,
  /// are composed as such; the others, and whatever is cropped, scaled or flipped, are made from R G B A that is not
  /// premultiplied. Pixels that no frame has painted are transparent black: ``backgroundColor`` is for those who want to
  /// put it behind.
  public struct Animation: Sendable {
    /// Of the canvas, in pixels.
    public let width: Int
    /// Of the canvas, in pixels.
    public let height: Int
    /// How many times the animation is meant to be shown; 0: for ever.
    public let loopCount: Int
    /// What the file would like behind the canvas, as 0xAARRGGBB. White unless it says.
    public let backgroundColor: UInt32
    /// What the file says of its frames, in order.
    public let frames: [FrameInfo]
    /// Why there are no more frames, if the animation was opened from a part of its file or one that is damaged.
    public let recoveryError: DecodeError?
    /// What the frames' pictures should be like.
    public let options: DecodeOptions

    let bytes: ContiguousArray<UInt8>

    /// Opens a file. Copies its bytes and walks through its chunks; no picture is decoded.
    ///
    /// - Parameters:
    ///   - bytes: a whole file, which is kept.
    ///   - options: what the frames' pictures should be like.
    /// - Throws: what is wrong with the file's structure, and if it is a frame's, which (``DecodeError/frame``).
    public init(_ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()) throws(DecodeError) {
      try self.init(recovering: bytes, options: options)
      if let recoveryError { throw recoveryError }
    }

    /// Opens what there is of a file: the frames that are complete, before the bytes end or their structure is damaged. A
    /// still picture is complete if nothing follows it, or the header of a sound chunk.
    ///
    /// - Throws: if not even the size of the canvas is there, or limits refuse it, or the only chunk of a simple file is
    ///   damaged.
    public init(
      recovering bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
    ) throws(DecodeError) {
      try options.limits.check(bytes: bytes.count)  // before they are copied
      let bytes = ContiguousArray(bytes)
      var demuxer = Demuxer(limits: options.limits)
      var recoveryError: DecodeError?
      do {
        try demuxer.read(bytes.span, isComplete: true)
      } catch {
        guard demuxer.canvas.width > 0 else { throw error }
        recoveryError = error
      }
      self.bytes = bytes
      self.options = options
      self.recoveryError = recoveryError
      width = demuxer.canvas.width
      height = demuxer.canvas.height
      loopCount = demuxer.animation.loopCount
      backgroundColor = demuxer.animation.backgroundColor
      frames = demuxer.canvas.frames
    }

    /// How many frames can be shown: of a damaged file, those before the damage.
    public var frameCount: Int { frames.count }
    /// The time to show all frames once, in milliseconds.
    public var duration: Int { frames.last?.timestamp ?? 0 }
    /// The file's metadata.
    public var metadata: Metadata { Metadata(bytes.span, limits: options.limits) }
  }
}

extension WebP.Animation {
  /// The canvas after a frame has been drawn on it.
  public struct Frame: Hashable, Sendable {
    /// Counted from 0.
    public let index: Int
    /// The whole canvas.
    public let image: WebP.Image
    public let info: FrameInfo

    /// In milliseconds; 0 is left to whoever shows the frame (``shownDuration`` is what browsers do).
    public var duration: Int { info.duration }
    /// When the frame's time is over, in milliseconds from the start of the first one.
    public var timestamp: Int { info.timestamp }
  }

  /// The canvas after frame `index`.
  ///
  /// Takes as much time as the frames from the nearest key frame on.
  ///
  /// - Throws: if there is no such frame, or one that it is drawn on is damaged.
  public func frame(at index: Int) throws(WebP.DecodeError) -> Frame {
    var frames = try makeIterator(at: index)
    guard let frame = try frames.nextFrame() else { throw Self.noSuchFrame }
    return frame
  }

  /// The picture of frame `index` alone, as large as the frame is, with its own transparency. Crop, size and flip are the
  /// canvas's, and have no effect on it.
  ///
  /// - Throws: if there is no such frame, or it is damaged.
  public func rawFrame(at index: Int) throws(WebP.DecodeError) -> WebP.Image {
    guard frames.indices.contains(index) else { throw Self.noSuchFrame }
    return try decodeFrame(at: index, options.forFrames(options.format, threads: options.threads))
  }

  /// - Parameter options: those for frames.
  func decodeFrame(at index: Int, _ options: WebP.DecodeOptions) throws(WebP.DecodeError) -> WebP.Image {
    let range = frames[index].bytes
    do {
      return try WebP.decode(bytes.span.extracting(range), options: options)
    } catch {
      throw error.with(frame: index, offset: range.lowerBound)
    }
  }

  /// The frames from `index` on.
  ///
  /// - Throws: if there is no such frame.
  public func makeIterator(at index: Int) throws(WebP.DecodeError) -> FrameIterator {
    guard frames.indices.contains(index) else { throw Self.noSuchFrame }
    return FrameIterator(self, from: index)
  }

  static var noSuchFrame: WebP.DecodeError {
    WebP.DecodeError(.noSuchFrame)
  }
}
