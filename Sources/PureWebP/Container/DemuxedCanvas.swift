/// The canvas and the frames on it that a `Demuxer` has found, as far as limits allow them.
struct DemuxedCanvas {
  /// 0 until it is known.
  private(set) var width = 0
  /// 0 until it is known.
  private(set) var height = 0
  /// Those whose bytes have all come.
  private(set) var frames: [WebP.Animation.FrameInfo] = []
  /// The frame after those, once its picture's header has come. The end of its `bytes` is where the input ends so far.
  var partialFrame: WebP.Animation.FrameInfo?

  let limits: WebP.Limits
  /// Of all frames, in pixels.
  private var totalArea = 0

  init(_ limits: WebP.Limits) {
    self.limits = limits
  }

  /// - Parameter offset: where the file tells of the size.
  mutating func setSize(_ width: Int, _ height: Int, at offset: Int) throws(WebP.DecodeError) {
    guard width <= limits.maximumPixels / height else {
      throw WebP.DecodeError(.limitExceeded, "more pixels than limits.maximumPixels", offset: offset)
    }
    (self.width, self.height) = (width, height)
  }

  /// Whether the limits allow a frame's pixels, and the canvas's, for the bytes that have come.
  func hasBytes(_ count: Int, for picture: PictureChunks.Picture) -> Bool {
    let area = picture.width * picture.height
    // What no bytes would make right is told at once, when the frame is taken.
    guard picture.width <= width, picture.height <= height, area <= limits.maximumTotalPixels - totalArea else {
      return true
    }
    return width <= limits.pixels(ofBytes: count) / height && area <= limits.totalPixels(ofBytes: count) - totalArea
  }

  /// The frame that `picture` is, as the next one.
  func frame(
    _ header: AnimationFrameHeader, _ picture: PictureChunks.Picture
  ) throws(WebP.DecodeError) -> WebP.Animation.FrameInfo {
    let start = picture.bytes.lowerBound
    // The picture's own size is what counts, whatever ANMF says.
    guard picture.width <= width - header.x, picture.height <= height - header.y else {
      throw WebP.DecodeError(.corrupt, "the frame reaches beyond the canvas", chunk: .anmf, offset: start)
    }
    guard frames.count < limits.maximumFrames else {
      throw WebP.DecodeError(.limitExceeded, "more frames than limits.maximumFrames", chunk: .anmf, offset: start)
    }
    guard picture.width * picture.height <= limits.maximumTotalPixels - totalArea else {
      throw WebP.DecodeError(
        .limitExceeded, "more pixels than limits.maximumTotalPixels", chunk: .anmf, offset: start)
    }
    return WebP.Animation.FrameInfo(header, picture, after: frames.last, canvas: (width, height))
  }

  mutating func append(_ frame: WebP.Animation.FrameInfo) {
    totalArea += frame.width * frame.height
    frames.append(frame)
    partialFrame = nil
  }
}
