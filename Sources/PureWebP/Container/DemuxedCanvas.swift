/// The canvas and the frames that a `Demuxer` has found, within the limits.
struct DemuxedCanvas {
  /// The width, in pixels. 0 until it is known.
  private(set) var width = 0
  /// The height, in pixels. 0 until it is known.
  private(set) var height = 0
  /// The frames whose bytes are complete.
  private(set) var frames: [WebP.Animation.FrameInfo] = []
  /// The next frame, if the header of its image is available. Its `bytes` end where the input ends so far.
  var partialFrame: WebP.Animation.FrameInfo?

  let limits: WebP.Limits
  /// The area of all frames, in pixels.
  private var totalArea = 0

  init(_ limits: WebP.Limits) {
    self.limits = limits
  }

  /// - Parameter offset: the position of the size in the file.
  mutating func setSize(_ width: Int, _ height: Int, at offset: Int) throws(WebP.DecodeError) {
    guard width <= limits.maximumPixels / height else {
      throw WebP.DecodeError(.imageTooLarge, value: limits.maximumPixels, offset: offset)
    }
    (self.width, self.height) = (width, height)
  }

  /// The limit that a frame would exceed if the file had only `count` bytes. The frame is deferred, because more bytes
  /// raise this limit. Nil if the limits already allow the pixels of the frame and of the canvas.
  func shortage(of picture: PictureChunks.Picture, ofBytes count: Int) -> ErrorCause? {
    let area = picture.width * picture.height
    // `frame` throws the errors that do not depend on the number of bytes.
    guard picture.width <= width, picture.height <= height, area <= limits.maximumAnimationPixels - totalArea else {
      return nil
    }
    if width > limits.pixels(ofBytes: count) / height { return .imageTooLargeForFile }
    return area > limits.animationPixels(ofBytes: count) - totalArea ? .animationTooLargeForFile : nil
  }

  /// Creates the next frame from `picture`.
  func frame(
    _ header: AnimationFrameHeader, _ picture: PictureChunks.Picture
  ) throws(WebP.DecodeError) -> WebP.Animation.FrameInfo {
    let start = picture.bytes.lowerBound
    // Like libwebp, compares the size in the image's header rather than the size in the ANMF chunk.
    guard picture.width <= width - header.x, picture.height <= height - header.y else {
      throw WebP.DecodeError(.frameOutsideCanvas, chunk: .anmf, offset: start)
    }
    guard frames.count < limits.maximumFrames else {
      throw WebP.DecodeError(.tooManyFrames, value: limits.maximumFrames, chunk: .anmf, offset: start)
    }
    guard picture.width * picture.height <= limits.maximumAnimationPixels - totalArea else {
      throw WebP.DecodeError(
        .animationTooLarge, value: limits.maximumAnimationPixels, chunk: .anmf, offset: start)
    }
    return WebP.Animation.FrameInfo(header, picture, after: frames.last, canvas: (width, height))
  }

  mutating func append(_ frame: WebP.Animation.FrameInfo) {
    totalArea += frame.width * frame.height
    frames.append(frame)
    partialFrame = nil
  }
}
