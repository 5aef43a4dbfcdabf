internal import WebPFormat

/// Renders the first frame of an animation for callers that request a still image.
final class FirstFrame {
  /// Composes the frame on an R G B A canvas.
  private let composer: FrameComposer
  /// The writer that converts the canvas to the output.
  private(set) var output: OutputWriter
  private let frame: DemuxedFrame

  /// Checks the file's structure, the limits and the options.
  ///
  /// - Parameter stride: the stride of the memory that rows are written to. Nil for rows without gaps.
  init(_ bytes: Span<UInt8>, options: WebP.DecodeOptions, stride: Int? = nil) throws(WebP.DecodeError) {
    var demuxer = Demuxer(limits: options.limits.plain)
    try WebP.DecodeError.converting(try demuxer.read(bytes, isComplete: true))
    frame = demuxer.newFrames[0]
    composer = try FrameComposer(
      width: demuxer.width, height: demuxer.height, byteCount: bytes.count, options: options, format: .rgba)
    output = try composer.output(options, stride: stride)
  }

  /// Decodes the frame.
  ///
  /// - Throws: the frame's error. No rows are output then.
  func draw(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    try composer.draw(frame, number: 0, bytes, isComplete: true)
  }

  /// Decodes the frame, and returns the complete canvas.
  static func image(_ bytes: Span<UInt8>, options: WebP.DecodeOptions) throws(WebP.DecodeError) -> WebP.Image {
    let first = try FirstFrame(bytes, options: options)
    try first.draw(bytes)
    return try first.composer.image(options).image
  }

  func write(into pixels: inout MutableSpan<UInt8>) { composer.write(through: &output, into: &pixels) }
}
