/// A picture or an animation that is being decoded, and what the host may know of it.
///
/// Its address is the host's handle. The host reads the 32-bit words at its beginning after each call; they are in the
/// order in which they are declared:
///
///     word  0      1      2       3     4       5       6      7
///           error  width  height  rows  pixels  offset  frame  duration
///
///     word  8           9          10      11
///           frameCount  loopCount  status  detail
struct Session {
  /// 0, or what is wrong: one more than the place of the kind in `WebP.DecodeError.Kind`.
  var error: Int32 = 0
  /// Of the picture or the canvas; 0 before the headers are there.
  var width: Int32 = 0
  var height: Int32 = 0
  /// How many rows of `pixels` are finished, from the top.
  var rows: Int32 = 0
  /// The address of width · height · 4 bytes, R G B A, not premultiplied. Valid until the next call for this session.
  var pixels: UInt32 = 0
  /// Where in the bytes the error was found; −1: not told.
  var offset: Int32 = -1
  /// Of the frame that `pixels` shows, counted from 0; −1 before the first one.
  var frame: Int32 = -1
  /// Of that frame, in milliseconds.
  var duration: Int32 = 0
  /// Of an animation.
  var frameCount: Int32 = 0
  /// How many times an animation is meant to be shown; 0: for ever.
  var loopCount: Int32 = 0
  /// The number that libwebp has for the error.
  var status: Int32 = 0
  /// What is wrong, in words: the address of bytes that end with a zero.
  var detail: UInt32 = 0

  private var decoder = WebP.StreamingDecoder()
  private var animation: WebP.Animation?
  private var frames: WebP.Animation.FrameIterator?
  /// Keeps what `pixels` is the address of.
  private var image: WebP.Image?
}

// MARK: Stills

extension Session {
  /// As `WebP.decode` does, but that it becomes the session of an animation.
  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>) {
    do {
      let options = WebP.DecodeOptions()
      try options.limits.check(bytes: bytes.count)
      let headers = try unsafe StillHeaders(forDecoding: bytes.span)
      guard !headers.isAnimated else {
        unsafe openAnimation(bytes)
        return nextFrame()
      }
      let image = try unsafe PictureDecoder.image(headers, bytes.span, options: options)
      show(image)
      self.image = image
    } catch { fail(error) }
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    do {
      _ = try unsafe decoder.append(bytes.span)
    } catch { fail(error) }
    showStream()
  }

  mutating func finish() {
    do {
      try decoder.finish()
    } catch { fail(error) }
    showStream()
  }

  /// One function for both of those above: smaller.
  @inline(never)
  private mutating func showStream() {
    // The decoder keeps the pixels; a second owner would make it copy them.
    guard let picture = decoder.image else { return }
    show(picture)
    rows = Int32(decoder.finishedRows)
  }
}

// MARK: Animations

extension Session {
  mutating func openAnimation(_ bytes: UnsafeBufferPointer<UInt8>) {
    do {
      let animation = try unsafe WebP.Animation(bytes)
      self.animation = animation
      width = Int32(animation.width)
      height = Int32(animation.height)
      frameCount = Int32(animation.frameCount)
      loopCount = Int32(animation.loopCount)
      frames = animation.makeIterator()
    } catch { fail(error) }
  }

  /// Composes the next frame. Behind the last one `pixels` is 0; at a damaged one, and behind it, there is an error until
  /// another frame is sought.
  mutating func nextFrame() {
    guard frames != nil else { return }
    forgetError()
    image = nil  // leaves its memory to the next one
    pixels = 0
    rows = 0
    do {
      guard let next = try frames?.nextFrame() else { return }
      frame = Int32(next.index)
      duration = Int32(next.duration)
      show(next.image)
      image = next.image
    } catch { fail(error) }
  }

  /// Has `nextFrame` go on at a frame; where there is none, as before.
  mutating func seek(to index: Int) {
    guard let animation else { return }
    forgetError()
    do {
      frames = try animation.makeIterator(at: index)
    } catch { fail(error) }
  }
}

extension Session {
  private mutating func show(_ picture: WebP.Image) {
    width = Int32(picture.width)
    height = Int32(picture.height)
    rows = height
    pixels = unsafe picture.pixels.withUnsafeBufferPointer { UInt32(UInt(bitPattern: $0.baseAddress)) }
  }

  private mutating func forgetError() {
    error = 0
    offset = -1
    status = 0
    detail = 0
  }

  private mutating func fail(_ error: WebP.DecodeError) {
    self.error =
      switch error.kind {
      case .notWebP: 1
      case .truncated: 2
      case .corrupt: 3
      case .unsupported: 4
      case .limitExceeded: 5
      case .invalidOptions: 6
      }
    status = Int32(error.status)
    offset = error.offset.map { Int32(clamping: $0) } ?? -1
    detail = unsafe UInt32(UInt(bitPattern: error.detail.utf8Start))
  }
}
