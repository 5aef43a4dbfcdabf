internal import WebPFormat

extension WebPCompact {
  /// Composes the frames of an animation (RFC 9649, section 2.7.2), one at a time.
  ///
  /// The decoder does not store the file. The caller passes its bytes to each call, so they may be in flash memory.
  public struct AnimationDecoder: ~Copyable {
    /// One frame of an animation.
    public struct Frame: Hashable, Sendable {
      /// The index of the frame, counted from 0.
      public let index: Int
      /// The duration of the frame, in milliseconds.
      public let storedMilliseconds: Int
      /// The canvas: width · height · 4 bytes, R G B A, not premultiplied. If the caller still uses it when the next
      /// frame is composed, it is copied.
      public let pixels: ContiguousArray<UInt8>
    }

    /// The width of the canvas, in pixels.
    public let width: Int
    /// The height of the canvas, in pixels.
    public let height: Int
    /// The number of times that the animation is to be shown. 0 means forever.
    public let loopCount: Int
    /// The number of frames.
    public var frameCount: Int { frames.count }

    private let frames: [DemuxedFrame]
    private var nextShown = 0
    private var nextDrawn = 0
    private var composer = FrameComposer()

    /// Parses the structure of a file. A still image is an animation of one frame.
    ///
    /// - Parameters:
    ///   - bytes: the complete file.
    ///   - limits: limits on the memory and the work that the file may cause.
    public init(_ bytes: Span<UInt8>, limits: Limits = Limits()) throws(DecodeError) {
      var demuxer = Demuxer(limits: limits.plain)
      try DecodeError.converting(try demuxer.read(bytes, isComplete: true))
      width = demuxer.width
      height = demuxer.height
      loopCount = demuxer.animation.loopCount
      frames = demuxer.newFrames
      composer.restart(width: width, height: height)
    }

    /// Composes the next frame, with the frames that it depends on.
    ///
    /// - Parameter bytes: the same file as in `init`.
    /// - Returns: nil after the last frame.
    /// - Throws: The error in a frame. The following calls throw it again, until `seek`.
    public mutating func nextFrame(from bytes: Span<UInt8>) throws(DecodeError) -> Frame? {
      guard nextShown < frames.count else { return nil }
      while nextDrawn <= nextShown {
        try DecodeError.converting(try composer.draw(frames[nextDrawn], bytes))
        nextDrawn += 1
      }
      nextShown += 1
      return Frame(index: nextDrawn - 1, storedMilliseconds: frames[nextDrawn - 1].duration, pixels: composer.canvas)
    }

    /// Lets `nextFrame` continue with the frame of this index.
    ///
    /// - Throws: If the index is out of range. The position then remains unchanged.
    public mutating func seek(to index: Int) throws(DecodeError) {
      guard frames.indices.contains(index) else { throw DecodeError(FormatError(.noSuchFrame)) }
      nextShown = index
      nextDrawn = index
      while nextDrawn > 0, !frames[nextDrawn].isKeyFrame { nextDrawn -= 1 }
      composer.restart(width: width, height: height)
    }
  }
}
