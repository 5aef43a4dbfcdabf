/// A VP8 picture, with or without an alpha channel of its own, on its way to Output.
struct LossyPicture {
  private let tag: FrameTag
  private let offset: Int
  private let chunkSize: Int64
  /// The payload of the ALPH chunk.
  private let alphaPayload: Range<Int>?
  private let options: WebP.DecodeOptions
  /// Nil until the first partition has come.
  private var frame: FrameDecoder?
  private var alpha: AlphaDecoder?

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
    if frame == nil {
      frame = try FrameDecoder(
        tag, at: offset, chunkSize: chunkSize, bytes, isComplete: isComplete,
        bypassesLoopFilter: options.bypassesLoopFilter || output.leavesOutLoopFilter,
        ditheringStrength: options.dithering, shownColumns: output.window.columns)
    }
    while !output.isFinished, try frame?.decodeRow(bytes, isComplete: isComplete) ?? false {
      try writeRows(bytes, output: &output, into: &pixels)
    }
  }

  private mutating func writeRows(
    _ bytes: Span<UInt8>, output: inout Output, into pixels: inout MutableSpan<UInt8>
  ) throws(WebP.DecodeError) {
    guard let rows = frame?.reconstruction.output else { return }
    // Not below the window: what is wrong with alpha there stays unseen.
    let seen = rows.rows.clamped(to: 0..<output.window.rows.upperBound)
    guard !seen.isEmpty else { return }
    if alpha == nil, let alphaPayload {
      alpha = try AlphaDecoder(
        bytes, payload: alphaPayload, width: tag.width, height: tag.height, crop: output.window,
        smoothing: options.alphaDithering)
    }
    try alpha?.decode(seen, bytes)
    if let alpha {
      output.write(rows, alpha: alpha.window.span.extracting(alpha.windowStart...), into: &pixels)
    } else {
      output.write(rows, alpha: Span(), into: &pixels)
    }
  }
}
