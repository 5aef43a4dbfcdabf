internal import WebPFormat

/// The canvas of an animation, in R G B A (RFC 9649, section 2.7.2). Each frame is decoded completely and then drawn.
struct FrameComposer {
  private(set) var canvas: ContiguousArray<UInt8> = []
  private var width = 0
  /// The last frame.
  private var previous: DemuxedFrame?

  /// Replaces the canvas with a transparent one.
  mutating func restart(width: Int, height: Int) {
    self.width = width
    canvas = []  // frees its memory before the next allocation
    canvas = ContiguousArray(repeating: 0, count: 4 &* width &* height)
    previous = nil
  }

  /// Draws a frame.
  ///
  /// - Parameter bytes: the complete file.
  mutating func draw(_ frame: DemuxedFrame, _ bytes: Span<UInt8>) throws(FormatError) {
    var layer = ContiguousArray<UInt8>(uninitializedCount: 4 &* frame.width &* frame.height)
    do throws(FormatError) {
      let bytes = bytes.extracting(frame.bytes)
      let headers = try ImageHeaderParser(forDecoding: bytes)
      try ImageDecoder(headers).decodeRows(bytes, isComplete: true, into: &layer)
    } catch {
      throw error.with(frame: nil, offset: frame.bytes.lowerBound)
    }
    let (width, previous) = (width, previous)
    var pixels = canvas.mutableSpan
    if let previous, previous.isDisposed {
      for y in previous.y..<previous.y &+ previous.height {
        pixels.fill(4 &* previous.width, with: 0, at: 4 &* (y &* width &+ previous.x))
      }
    }
    for row in 0..<frame.height {
      let y = frame.y &+ row
      drawRow(
        layer.span, at: 4 &* row &* frame.width, onto: &pixels, at: 4 &* (y &* width &+ frame.x), width: frame.width,
        copied: frame.copiedColumns(inRow: y, after: previous), isPremultiplied: false)
    }
    self.previous = frame
  }
}
