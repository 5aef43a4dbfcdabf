/// A frame of an animation (RFC 9649, section 2.7.1.1), and the properties of its image.
struct AnimationFrame {
  let header: AnimationFrameHeader
  /// The size of the frame's image, in pixels. 0 until it is known.
  var width = 0
  var height = 0
  /// The range of its chunks in the file.
  var bytes = 0..<0
  /// Indicates whether the image may have pixels that are not opaque, according to its headers.
  var hasAlpha = false
  var isLossy = true
  /// Indicates whether the canvas can be composed without earlier frames.
  var isKeyFrame = true

  init(_ header: AnimationFrameHeader) { self.header = header }

  /// Indicates whether the frame's pixels replace the canvas without blending. The alpha flag of a lossless frame is
  /// not considered, because the frame may have transparent pixels without it.
  var replacesCanvas: Bool { isKeyFrame || !header.isBlended || isLossy && !hasAlpha }
}
