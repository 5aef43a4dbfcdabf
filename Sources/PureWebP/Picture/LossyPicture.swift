/// A VP8 picture, with or without an alpha channel of its own, on its way to Output.
struct LossyPicture {
  private let tag: FrameTag
  private let offset: Int
  private let chunkSize: Int64
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  private let options: WebP.DecodeOptions
  /// Nil until the first partition has come.
  private var pipeline: LossyPipeline?

  init(_ tag: FrameTag, _ headers: StillHeaders, _ options: WebP.DecodeOptions) {
    self.tag = tag
    self.options = options
    offset = headers.streamOffset
    chunkSize = headers.streamSize
    alphaPayload = headers.alpha
  }

  mutating func decodeRows(
    _ bytes: Span<UInt8>, isComplete: Bool, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    if pipeline == nil {
      guard let frame = try Frame(tag, at: offset, chunkSize: chunkSize, bytes, isComplete: isComplete) else { return }
      pipeline = LossyPipeline(frame, alphaPayload: alphaPayload, options, output)
    }
    try pipeline?.decodeRows(bytes, isComplete: isComplete, output: &output, into: &pixels)
  }
}
