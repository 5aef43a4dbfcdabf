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
  func shortage(of image: ImageChunks.Image, ofBytes count: Int) -> ErrorCause? {
    let area = image.width * image.height
    // `frame` throws the errors that do not depend on the number of bytes.
    guard image.width <= width, image.height <= height, area <= limits.maximumAnimationPixels - totalArea else {
      return nil
    }
    if width > limits.pixels(ofBytes: count) / height { return .imageTooLargeForFile }
    return area > limits.animationPixels(ofBytes: count) - totalArea ? .animationTooLargeForFile : nil
  }

  /// Creates the next frame from `image`.
  func frame(
    _ header: AnimationFrameHeader, _ image: ImageChunks.Image
  ) throws(WebP.DecodeError) -> WebP.Animation.FrameInfo {
    let start = image.bytes.lowerBound
    // Like libwebp, compares the size in the image's header rather than the size in the ANMF chunk.
    guard image.width <= width - header.x, image.height <= height - header.y else {
      throw WebP.DecodeError(.frameOutsideCanvas, chunk: .anmf, offset: start)
    }
    guard frames.count < limits.maximumFrames else {
      throw WebP.DecodeError(.tooManyFrames, value: limits.maximumFrames, chunk: .anmf, offset: start)
    }
    guard image.width * image.height <= limits.maximumAnimationPixels - totalArea else {
      throw WebP.DecodeError(
        .animationTooLarge, value: limits.maximumAnimationPixels, chunk: .anmf, offset: start)
    }
    return WebP.Animation.FrameInfo(header, image, after: frames.last, canvas: (width, height))
  }

  mutating func append(_ frame: WebP.Animation.FrameInfo) {
    totalArea += frame.width * frame.height
    frames.append(frame)
    partialFrame = nil
  }
}
