internal import WebPFormat

extension WebP {
  /// The frames of a file, composed on a canvas one after another on demand.
  ///
  /// ```swift
  /// let animation = try WebP.Animation(bytes)
  /// for frame in animation { show(frame.image, for: frame.info.displayMilliseconds) }
  /// let seventh = try animation.frame(at: 7)
  /// ```
  ///
  /// A still image is opened as an animation of one frame if its file follows libwebp's rules for animations. These are
  /// stricter than libwebp's rules for still images.
  ///
  /// The value stores the bytes of the file and the positions of the frames, but no pixels. During playback, memory is
  /// needed for the canvas and for one frame per additional thread, regardless of the number of frames.
  ///
  /// Frames have the format that the options specify. If this is R G B A or B G R A, premultiplied or not, frames are
  /// composed in that format. Any other format, and output that is scaled or blended with a background, is converted
  /// from R G B A that is not premultiplied. Pixels that no frame covers are transparent black, so that the caller can
  /// draw the canvas over ``backgroundColor``.
  public struct Animation: Sendable {
    /// The size of the canvas. The options may select another size for the images.
    public var canvasSize: Size { file.canvasSize }
    /// The number of times that the animation is to be shown. 0 means forever.
    public var loopCount: Int { file.header.loopCount }
    /// The background color that the file suggests. White if the file has none.
    public var backgroundColor: Color { Color(argb: file.header.backgroundColor) }
    /// The properties of the frames, in order.
    public var frames: [FrameInfo] { file.frames }
    /// The error after the last frame, if ``init(recovering:options:)`` opened a truncated or corrupt file. Nil if the
    /// file is valid.
    public var recoveryError: DecodeError? { file.recoveryError }
    /// The options that frames are decoded with.
    package var options: DecodeOptions { file.options }

    var bytes: ContiguousArray<UInt8> { file.bytes }

    /// The file, which copies of the animation and its iterators share.
    private let file: File

    /// The orientation that is applied to each canvas. `up` unless the options specify upright images.
    package var appliedOrientation: Orientation { file.orientation }
    /// The options for canvases before they are oriented.
    var canvasOptions: DecodeOptions { options.beforeOrienting(file.orientation) }

    /// Opens a file. Copies its bytes and parses its chunks, but decodes no image.
    ///
    /// - Parameters:
    ///   - bytes: a complete file, which is stored.
    ///   - options: the options that frames are decoded with.
    /// - Throws: An error if the structure of the file is corrupt. If the error is in a frame, ``DecodeError/frame`` is
    ///   set.
    @inlinable
    public init(_ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()) throws(DecodeError) {
      try self.init(recovering: bytes, options: options)
      if let recoveryError { throw recoveryError }
    }

    /// Opens a truncated or corrupt file. The animation has the complete frames before the end of the bytes or before
    /// the error. A still image counts as complete only if the file ends after it, or if a valid chunk header follows.
    ///
    /// - Throws: If the size of the canvas is missing or exceeds the limits, or if the only chunk of a simple file is
    ///   corrupt.
    @inlinable
    public init(
      recovering bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
    ) throws(DecodeError) {
      try options.limits.check(bytes: bytes.count)  // before they are copied
      try self.init(storing: ContiguousArray(bytes), options: options)
    }

    @usableFromInline
    init(storing bytes: ContiguousArray<UInt8>, options: DecodeOptions) throws(DecodeError) {
      var demuxer = Demuxer(limits: options.limits.plain)
      var recoveryError: DecodeError?
      do {
        try demuxer.read(bytes.span, isComplete: true)
      } catch {
        recoveryError = DecodeError(error)
        if let recoveryError, demuxer.width == 0 { throw recoveryError }
      }
      file = File(bytes, demuxer, recoveryError, options)
    }

    /// The same animation without the output size of its options. It shares the file.
    package var withoutScaling: Animation {
      var options = options
      options.size = nil
      return Animation(file: File(file, options))
    }

    private init(file: File) { self.file = file }

    /// Returns whether both have equal files. Fast if they share the memory of one.
    package func hasSameFile(as other: Animation) -> Bool { bytes == other.bytes }

    /// The number of frames that can be shown. For a corrupt file, the number of frames before the error.
    package var frameCount: Int { frames.count }
    /// The time for which browsers show all frames once, in milliseconds: the sum of
    /// ``FrameInfo/displayMilliseconds``. `Int.max` if it does not fit an `Int`.
    public var displayMilliseconds: Int { frames.last?.demuxed.displayEnd ?? 0 }
    /// The file's metadata.
    public var metadata: Metadata { Metadata(bytes.span, limits: options.limits) }
  }
}

extension WebP.Animation {
  /// A demuxed file.
  fileprivate final class File: Sendable {
    let bytes: ContiguousArray<UInt8>
    let canvasSize: WebP.Size
    let frames: [FrameInfo]
    let header: AnimationHeader
    let recoveryError: WebP.DecodeError?
    let options: WebP.DecodeOptions
    let orientation: WebP.Orientation

    init(
      _ bytes: ContiguousArray<UInt8>, _ demuxer: Demuxer, _ recoveryError: WebP.DecodeError?,
      _ options: WebP.DecodeOptions
    ) {
      self.bytes = bytes
      canvasSize = WebP.Size(width: demuxer.width, height: demuxer.height)
      frames = demuxer.newFrames.map { FrameInfo($0) }
      header = demuxer.animation
      self.recoveryError = recoveryError
      self.options = options
      orientation = options.orientation(of: bytes.span)
    }

    /// A copy with other options.
    init(_ other: File, _ options: WebP.DecodeOptions) {
      bytes = other.bytes
      (canvasSize, frames, header) = (other.canvasSize, other.frames, other.header)
      (recoveryError, orientation) = (other.recoveryError, other.orientation)
      self.options = options
    }
  }
}

extension WebP.Animation {
  /// The canvas after a frame has been drawn on it.
  public struct Frame: Hashable, Sendable {
    /// The index of the frame, starting at 0.
    public let index: Int
    /// The complete canvas.
    public let image: WebP.Image
    /// The properties of the frame in the file.
    public let info: FrameInfo
  }

  /// The canvas after frame `index`.
  ///
  /// Decodes all frames from the nearest key frame on.
  ///
  /// - Throws: If the index is out of range, or if the frame or a frame that it depends on is corrupt.
  public func frame(at index: Int) throws(WebP.DecodeError) -> Frame {
    var frames = try makeIterator(at: index)
    guard let frame = try frames.nextFrame() else { throw WebP.DecodeError(.noSuchFrame) }
    return frame
  }

  /// Decodes one frame without drawing it on the canvas.
  ///
  /// The result has the frame's own size and transparency. The crop, the size, the flip and the rotation of the
  /// options refer to the canvas and have no effect.
  ///
  /// - Throws: If the index is out of range, or the frame is corrupt.
  public func image(ofFrame index: Int) throws(WebP.DecodeError) -> WebP.Image {
    guard frames.indices.contains(index) else { throw WebP.DecodeError(.noSuchFrame) }
    return try decodeFrame(at: index, options.forFrames(options.format, threads: options.threads))
  }

  /// - Parameter options: the result of `forFrames`.
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
  /// - Throws: If the index is out of range.
  public func makeIterator(at index: Int) throws(WebP.DecodeError) -> FrameIterator {
    guard frames.indices.contains(index) else { throw WebP.DecodeError(.noSuchFrame) }
    return FrameIterator(self, from: index)
  }
}

extension WebP.Animation {
  /// A still WebP file with the bitstream of one frame, as `webpmux -get frame` writes it. The frame is not decoded.
  ///
  /// - Throws: If the index is out of range, or the animation is a bare bitstream, which has no chunks.
  public func file(ofFrame index: Int) throws(WebP.DecodeError) -> [UInt8] {
    guard frames.indices.contains(index) else { throw WebP.DecodeError(.noSuchFrame) }
    guard bytes.starts(with: Self.littleEndian(FourCC.riff.rawValue, bytes: 4)) else {
      throw WebP.DecodeError(.bareBitstream, offset: 0)
    }
    let frame = frames[index]
    return Self.stillFile(
      bytes[frame.bytes], hasAlphaChunk: frame.compression == .lossy && frame.hasAlpha, size: frame.rectangle.size)
  }

  /// A still WebP file with the chunks of an image: VP8 or VP8L, or ALPH and VP8.
  package static func stillFile(
    _ image: some Collection<UInt8>, hasAlphaChunk: Bool, size: WebP.Size
  ) -> [UInt8] {
    var chunks: [UInt8] = []
    // VP8 with ALPH needs the extended form (RFC 9649, section 2.7); VP8L encodes alpha itself.
    if hasAlphaChunk {
      chunks += littleEndian(FourCC.vp8X.rawValue, bytes: 4) + [10, 0, 0, 0, 0x10, 0, 0, 0]
      chunks += littleEndian(UInt32(size.width - 1), bytes: 3) + littleEndian(UInt32(size.height - 1), bytes: 3)
    }
    chunks += image
    return littleEndian(FourCC.riff.rawValue, bytes: 4)
      + littleEndian(UInt32(clamping: chunks.count + 4), bytes: 4)
      + littleEndian(FourCC.webp.rawValue, bytes: 4) + chunks
  }

  private static func littleEndian(_ number: UInt32, bytes count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }
}
