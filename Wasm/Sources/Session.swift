/// An image or an animation that is being decoded, and its state as the host reads it.
///
/// Its address is the host's handle. After each call the host reads the 32-bit words at its beginning, which are in the
/// order of their declarations:
///
///     word  0      1      2       3     4       5       6      7
///           error  width  height  rows  pixels  offset  frame  duration
///
///     word  8           9          10      11
///           frameCount  loopCount  status  detail
struct Session: ~Copyable {
  /// 0, or one more than the index of the error's kind in `WebPCompact.ErrorKind`.
  var error: Int32 = 0
  /// The size of the image or the canvas, in pixels. 0 until the headers are complete.
  var width: Int32 = 0
  var height: Int32 = 0
  /// The number of finished rows of `pixels`, from the top.
  var rows: Int32 = 0
  /// The address of width · height · 4 bytes, R G B A, not premultiplied. Valid until the next call for this session.
  var pixels: UInt32 = 0
  /// The position of the error, in bytes from the start of the file, or −1.
  var offset: Int32 = -1
  /// The index of the frame in `pixels`, or −1 before the first one.
  var frame: Int32 = -1
  /// The duration of that frame, in milliseconds.
  var duration: Int32 = 0
  /// The number of frames. 0 if the file is not opened as an animation.
  var frameCount: Int32 = 0
  /// The number of times that the animation is to be shown. 0 means forever.
  var loopCount: Int32 = 0
  /// libwebp's VP8StatusCode for the error.
  var status: Int32 = 0
  /// The address of the error's text, which ends with a zero.
  var detail: UInt32 = 0

  private let limits: WebPCompact.Limits
  private var still: WebPCompact.StreamingDecoder
  private var animation: WebPCompact.AnimationDecoder?
  /// The file of the animation.
  private var bytes: ContiguousArray<UInt8> = []

  init(_ limits: WebPCompact.Limits) {
    self.limits = limits
    still = WebPCompact.StreamingDecoder(limits: limits)
  }
}

// MARK: Still images

extension Session {
  /// Decodes a complete file. After an error, no rows are available. If the file is an animation, opens it and composes
  /// the first frame.
  mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>) {
    do throws(WebPCompact.DecodeError) {
      guard try unsafe WebPCompact.DecodeError.converting(try still.decodeComplete(bytes.span)) else {
        unsafe openAnimation(bytes)
        return nextFrame()
      }
      showRows()
    } catch { fail(error) }
  }

  /// Decodes the rows that the next bytes complete.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    do throws(WebPCompact.DecodeError) {
      defer { showRows() }
      try unsafe still.append(bytes.span)
    } catch { fail(error) }
  }

  /// Decodes the remaining rows. No more bytes will arrive.
  mutating func finish() {
    do throws(WebPCompact.DecodeError) {
      defer { showRows() }
      try still.finish()
    } catch { fail(error) }
  }

  @inline(never)
  private mutating func showRows() {
    width = Int32(still.width)
    height = Int32(still.height)
    rows = Int32(still.finishedRows)
    pixels = still.pixels.address
  }
}

// MARK: Animations

extension Session {
  /// Opens an animation, whose bytes are copied. After an error, `frameCount` remains 0.
  mutating func openAnimation(_ bytes: UnsafeBufferPointer<UInt8>) {
    do throws(WebPCompact.DecodeError) {
      let animation = try unsafe WebPCompact.AnimationDecoder(bytes.span, limits: limits)
      unsafe self.bytes.store(bytes.span, at: 0)
      width = Int32(animation.width)
      height = Int32(animation.height)
      loopCount = Int32(animation.loopCount)
      frameCount = Int32(animation.frameCount)
      self.animation = consume animation
    } catch { fail(error) }
  }

  /// Composes the next frame. After the last one, `pixels` is 0. After an error in a frame, each call reports it until
  /// `seek` selects another frame.
  mutating func nextFrame() {
    guard frameCount > 0 else { return }
    clearResult()
    let bytes = bytes
    do throws(WebPCompact.DecodeError) {
      guard let next = try animation?.nextFrame(from: bytes.span) else { return }
      frame = Int32(next.index)
      duration = Int32(next.storedMilliseconds)
      rows = height
      pixels = next.pixels.address
    } catch { fail(error) }
  }

  /// Lets `nextFrame` continue with another frame. If there is no such frame, it continues as before.
  mutating func seek(to index: Int) {
    guard frameCount > 0 else { return }
    clearResult()
    do throws(WebPCompact.DecodeError) { try animation?.seek(to: index) } catch { fail(error) }
  }

  /// Clears the error and the rows of the last call.
  @inline(never)
  private mutating func clearResult() {
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
  private mutating func fail(_ error: WebPCompact.DecodeError) {
    self.error = Int32(error.kind.rawValue) + 1
    status = Int32(error.status)
    offset = Int32(truncatingIfNeeded: error.offset ?? -1)
    detail = error.detail.address
  }
}

extension ContiguousArray<UInt8> {
  /// 0 if the array is empty.
  fileprivate var address: UInt32 {
    unsafe isEmpty ? 0 : withUnsafeBufferPointer { UInt32(UInt(bitPattern: $0.baseAddress)) }
  }
}
