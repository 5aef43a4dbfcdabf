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

  /// Of a still picture that comes piece by piece, as far as it has come; of an animation. There is room for more.
  private var bytes: ContiguousArray<UInt8> = []
  private var byteCount = 0

  /// Of a still picture.
  private var headers = StillHeaders()
  /// Nil until the headers are there, and the bytes that limits want for so many pixels.
  private var picture: PictureDecoder?
  /// What `pixels` is the address of.
  private var memory: ContiguousArray<UInt8> = []
  /// How many bytes have to be there before decoding is tried again.
  private var nextAttempt = 0

  /// Of an animation.
  private var frames: ContiguousArray<AnimationFrame> = []
  /// The next one to be shown.
  private var nextShown = 0
  /// The next one to be drawn.
  private var nextDrawn = 0
  private var composer = FrameComposer()
}

// MARK: Stills

extension Session {
  /// Takes a whole file, and shows all of the picture or nothing. That of an animation makes this the session of one, and
  /// shows its first frame.
  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>) {
    do throws(WebP.DecodeError) {
      try WebP.Limits().check(bytes: bytes.count)
      try unsafe headers.walk(whole: bytes.span)
      if headers.isAnimated {
        unsafe openAnimation(bytes)
        return nextFrame()
      }
      try unsafe decodeRows(bytes.span, isComplete: true)
    } catch {
      forget()
      fail(error)
    }
  }

  /// Takes the next bytes of a picture, and decodes the rows that they complete.
  ///
  /// Pieces smaller than a thousandth of what has come wait for each other, but not with the last byte of the picture
  /// (of a bare stream, nobody knows which it is).
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard wantsBytes else { return }
    do throws(WebP.DecodeError) {
      try WebP.Limits().check(bytes: bytes.count, after: byteCount)
      let (before, end) = (byteCount, headers.streamEnd)
      unsafe keep(bytes.span)
      let count = byteCount
      // The walk through the headers goes on where it was; and before its end nobody knows which byte is the last.
      guard !headers.isFinished || count >= nextAttempt || before < end && count >= end else { return }
      nextAttempt = count + count / 1024 + 1
      try decodeStream(isComplete: false)
    } catch { fail(error) }
  }

  /// Copies the next bytes.
  @inline(never)
  private mutating func keep(_ more: Span<UInt8>) {
    let count = byteCount + more.count
    if bytes.count < count {
      var larger = ContiguousArray<UInt8>(repeating: 0, count: max(count, 2 * byteCount))
      larger.copy(byteCount, from: bytes.span, at: 0, to: 0)
      bytes = larger
    }
    bytes.copy(more.count, from: more, at: 0, to: byteCount)
    byteCount = count
  }

  /// Takes it that no more bytes will come.
  mutating func finish() {
    guard wantsBytes else { return }
    do throws(WebP.DecodeError) {
      try decodeStream(isComplete: true)
    } catch { fail(error) }
  }

  private var wantsBytes: Bool { error == 0 && picture?.isFinished != true }

  @inline(never)
  private mutating func decodeStream(isComplete: Bool) throws(WebP.DecodeError) {
    let bytes = bytes
    let span = bytes.span.extracting(..<byteCount)
    do throws(WebP.DecodeError) {
      try headers.walk(span)
    } catch {
      if error.kind == .truncated, !isComplete { return }
      throw error
    }
    if headers.isAnimated { throw WebP.DecodeError(.animation, offset: 20) }
    try decodeRows(span, isComplete: isComplete)
  }

  /// Goes on behind the headers.
  @inline(never)
  private mutating func decodeRows(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) {
    if picture == nil { try start(bytes, isComplete: isComplete) }
    guard let picture else { return }
    defer { rows = Int32(picture.output.finishedRows) }
    try picture.decodeRows(bytes, isComplete: isComplete, into: &memory)
  }

  /// Makes the picture, unless only more bytes allow so many pixels.
  private mutating func start(_ bytes: Span<UInt8>, isComplete: Bool) throws(WebP.DecodeError) {
    let picture = PictureDecoder(headers)
    let (width, height) = (headers.width, headers.height)
    let area = width &* height  // each of 14 bits
    let limits = WebP.Limits()
    guard area <= limits.maximumPixels else {
      throw WebP.DecodeError(.imageTooLarge, offset: headers.streamOffset)
    }
    guard limits.allow(pixels: area, ofBytes: bytes.count) else {
      guard isComplete else { return }
      throw WebP.DecodeError(.imageTooLargeForFile, offset: headers.streamOffset)
    }
    self.picture = picture
    let count = 4 &* area
    // Nobody sees a whole file's picture before all of it is there.
    memory = byteCount == 0 ? .init(uninitializedCount: count) : .init(repeating: 0, count: count)
    pixels = memory.address
    (self.width, self.height) = (Int32(width), Int32(height))
  }
}

// MARK: Animations

extension Session {
  mutating func openAnimation(_ bytes: UnsafeBufferPointer<UInt8>) {
    do throws(WebP.DecodeError) {
      try WebP.Limits().check(bytes: bytes.count)
      var demuxer = Demuxer()
      try unsafe demuxer.read(bytes.span)
      unsafe keep(bytes.span)
      width = Int32(demuxer.width)
      height = Int32(demuxer.height)
      loopCount = Int32(demuxer.loopCount)
      frames = demuxer.frames
      frameCount = Int32(frames.count)
      seek(to: 0)
    } catch { fail(error) }
  }

  /// Composes the next frame. Behind the last one `pixels` is 0; at a damaged one, and behind it, there is an error until
  /// another frame is sought.
  mutating func nextFrame() {
    guard !frames.isEmpty else { return }
    forget()
    guard nextShown < frames.count else { return }
    let bytes = bytes
    do throws(WebP.DecodeError) {
      while nextDrawn <= nextShown {
        try composer.draw(frames[nextDrawn], bytes.span)
        nextDrawn += 1
      }
      frame = Int32(nextShown)
      duration = Int32(frames[nextShown].duration)
      nextShown += 1
      rows = height
      pixels = composer.canvas.address
    } catch { fail(error) }
  }

  /// Has `nextFrame` go on at a frame; where there is none, as before.
  mutating func seek(to index: Int) {
    guard !frames.isEmpty else { return }
    forget()
    guard index >= 0, index < frames.count else {
      return fail(WebP.DecodeError(.noSuchFrame))
    }
    nextShown = index
    nextDrawn = index
    while nextDrawn > 0, !frames[nextDrawn].isKeyFrame { nextDrawn -= 1 }
    composer.restart(width: Int(width), height: Int(height))
  }

  @inline(never)
  private mutating func forget() {
    error = 0
    rows = 0
    pixels = 0
    offset = -1
    status = 0
    detail = 0
  }
}

extension Session {
  @inline(never)
  private mutating func fail(_ error: WebP.DecodeError) {
    self.error = error.number
    status = error.status
    offset = error.offset
    detail = error.detail
  }
}

extension ContiguousArray<UInt8> {
  fileprivate var address: UInt32 { unsafe withUnsafeBufferPointer { UInt32(UInt(bitPattern: $0.baseAddress)) } }
}
