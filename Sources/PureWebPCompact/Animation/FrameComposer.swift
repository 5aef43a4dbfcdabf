/// The canvas of an animation, in R G B A (RFC 9649, section 2.7.2). Each frame is decoded completely and then drawn.
struct FrameComposer {
  private(set) var canvas: ContiguousArray<UInt8> = []
  private var width = 0
  /// The rectangle to clear before the next frame. Its height is 0 if there is none.
  private var disposed = WebP.Rectangle(x: 0, y: 0, width: 0, height: 0)

  /// Replaces the canvas with a transparent one.
  mutating func restart(width: Int, height: Int) {
    self.width = width
    canvas = []  // frees its memory before the next allocation
    canvas = ContiguousArray(repeating: 0, count: 4 &* width &* height)
    disposed.height = 0
  }

  /// Draws a frame.
  ///
  /// - Parameter bytes: the complete file.
  mutating func draw(_ frame: AnimationFrame, _ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    var layer = ContiguousArray<UInt8>(uninitializedCount: 4 &* frame.width &* frame.height)
    do throws(WebP.DecodeError) {
      let bytes = bytes.extracting(frame.bytes)
      let headers = try ImageHeaderParser(forDecoding: bytes)
      try ImageDecoder(headers).decodeRows(bytes, isComplete: true, into: &layer)
    } catch {
      throw error.with(offset: frame.bytes.lowerBound)
    }
    let (width, disposed) = (width, disposed)
    var pixels = canvas.mutableSpan
    for y in disposed.y..<disposed.y &+ disposed.height {
      pixels.fill(4 &* disposed.width, with: 0, at: 4 &* (y &* width &+ disposed.x))
    }
    for row in 0..<frame.height {
      let y = frame.header.y &+ row
      // Inside the cleared rectangle of the previous frame, pixels are also copied, as in libwebp.
      var copied = 0..<(frame.replacesCanvas ? frame.width : 0)
      if copied.isEmpty, y >= disposed.y, y &- disposed.y < disposed.height {
        let left = disposed.x &- frame.header.x
        copied = left..<left &+ disposed.width
      }
      blendRow(
        layer.span, at: 4 &* row &* frame.width, onto: &pixels, at: 4 &* (y &* width &+ frame.header.x),
        width: frame.width,
        copied: copied)
    }
    self.disposed = .init(
      x: frame.header.x, y: frame.header.y, width: frame.width, height: frame.header.isDisposed ? frame.height : 0)
  }
}
