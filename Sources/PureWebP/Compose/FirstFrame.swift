extension FrameComposer {
  /// The first frame on its canvas, as R G B A: what an animation is to those who ask for a picture.
  init(firstFrameOf bytes: Span<UInt8>, options: WebP.DecodeOptions) throws(WebP.DecodeError) {
    var demuxer = Demuxer(limits: options.limits)
    try demuxer.read(bytes, isComplete: true)
    let canvas = demuxer.canvas
    try self.init(
      width: canvas.width, height: canvas.height, byteCount: bytes.count, options: options, format: .rgba)
    try draw(canvas.frames[0], number: 0, bytes, isComplete: true)
  }
}
