/// What an animation is to those who ask for a picture: its first frame on its canvas.
struct FirstFrame {
  /// Of a canvas that is R G B A.
  private var composer: FrameComposer
  /// Where the canvas goes.
  let output: OutputWriter
  private let frame: WebP.Animation.FrameInfo

  /// Checks the file's structure, the limits and the options.
  ///
  /// - Parameter stride: of the memory that rows are written to; nil: rows without gaps.
  init(_ bytes: Span<UInt8>, options: WebP.DecodeOptions, stride: Int? = nil) throws(WebP.DecodeError) {
    var demuxer = Demuxer(limits: options.limits)
    try demuxer.read(bytes, isComplete: true)
    let canvas = demuxer.canvas
    frame = canvas.frames[0]
    composer = try FrameComposer(
      width: canvas.width, height: canvas.height, byteCount: bytes.count, options: options, format: .rgba)
    output = try composer.output(options, stride: stride)
  }

  /// Decodes the frame.
  ///
  /// - Throws: what is wrong with it; the caller has none of its rows then.
  mutating func draw(_ bytes: Span<UInt8>) throws(WebP.DecodeError) {
    try composer.draw(frame, number: 0, bytes, isComplete: true)
  }

  /// The whole canvas.
  mutating func image(_ options: WebP.DecodeOptions) throws(WebP.DecodeError) -> WebP.Image {
    try composer.image(options).image
  }

  func write(into pixels: inout MutableSpan<UInt8>) { composer.write(through: output, into: &pixels) }
}
