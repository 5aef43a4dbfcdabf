/// A frame of an animation (RFC 9649, section 2.7.1.1), the properties of its image, and the rules of composition.
public struct DemuxedFrame: Hashable, Sendable {
  /// The left column and the upper row of the frame on the canvas, in pixels.
  public let x: Int
  public let y: Int
  /// The size of the frame's image, in pixels.
  public let width: Int
  public let height: Int
  /// The duration that the file stores, in milliseconds.
  public let duration: Int
  /// The time at which viewers show the frame, from the start of the animation, in milliseconds.
  public internal(set) var displayStart = 0
  /// The position of the frame's chunks in the file: VP8L, VP8, or ALPH and VP8.
  public let bytes: Range<Int>
  public let isBlended: Bool
  /// Indicates whether the frame's rectangle is cleared before the next frame is drawn.
  public let isDisposed: Bool
  /// Indicates whether the image may have pixels that are not opaque, according to its headers.
  public let hasAlpha: Bool
  public let isLossy: Bool
  /// Indicates whether the canvas can be composed without earlier frames.
  public internal(set) var isKeyFrame = true

  /// The time for which browsers show the frame, in milliseconds. 0 for a still image.
  public let displayDuration: Int

  /// The end of the time for which browsers show the frame. `Int.max` if it does not fit an `Int`.
  public var displayEnd: Int {
    let (sum, overflow) = displayStart.addingReportingOverflow(displayDuration)
    return overflow ? .max : sum
  }

  var area: Int { width &* height }

  /// The single frame of a still image.
  init(_ image: ImageChunks.Image) { self.init(AnimationFrameHeader(), image, displayDuration: 0) }

  init(_ header: AnimationFrameHeader, _ image: ImageChunks.Image) {
    self.init(header, image, displayDuration: AnimationFrameHeader.displayDuration(header.duration))
  }

  private init(_ header: AnimationFrameHeader, _ image: ImageChunks.Image, displayDuration: Int) {
    (x, y, duration, self.displayDuration) = (header.x, header.y, header.duration, displayDuration)
    (isBlended, isDisposed) = (header.isBlended, header.isDisposed)
    (width, height, bytes) = (image.width, image.height, image.bytes)
    (hasAlpha, isLossy) = (image.hasAlpha, image.isLossy)
  }
}

// MARK: Composition (section 2.7.2)

extension DemuxedFrame {
  /// Indicates whether the frame's pixels replace those in its rectangle of the canvas without blending. The alpha flag
  /// of a lossless frame is not considered, because the frame may have transparent pixels although the flag is not set.
  public var replacesCanvas: Bool { isKeyFrame || !isBlended || isLossy && !hasAlpha }

  public func covers(_ other: DemuxedFrame) -> Bool {
    x <= other.x && y <= other.y && other.x &+ other.width <= x &+ width && other.y &+ other.height <= y &+ height
  }

  /// The columns of the frame in which its row is copied to row `y` of the canvas instead of blended: the columns
  /// of the cleared rectangle of the previous frame, as in libwebp.
  public func copiedColumns(inRow y: Int, after previous: DemuxedFrame?) -> Range<Int> {
    if replacesCanvas { return 0..<width }
    guard let previous, previous.isDisposed, previous.y..<previous.y &+ previous.height ~= y else { return 0..<0 }
    let start = previous.x &- x
    return (start..<start &+ previous.width).clamped(to: 0..<width)
  }
}
