// Parsing of the headers of a complete file, or of a truncated file to which no bytes will be added.

extension ImageHeaderParser {
  /// Parses the headers.
  init(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    do {
      try parse(bytes, need: need)
    } catch {
      // VP8X suffices for the properties of an extended file, and for an animation, whose images the demuxer finds.
      guard error.kind == .truncated, let extended, need == .headers || extended.isAnimated else { throw error }
    }
  }

  /// Parses the headers of a file for decoding. Errors have the status numbers of libwebp's WebPDecode. That function
  /// parses the properties first, and reports a file that ends before them as corrupt.
  init(forDecoding bytes: Span<UInt8>) throws(WebP.DecodeError) {
    self.init()
    var shortage: WebP.DecodeError?
    do {
      try parse(bytes, need: .headers)
    } catch {
      guard error.kind == .truncated, extended != nil else { throw error.with(status: 3) }
      shortage = error
    }
    // The demuxer finds the frames of an animation. In a still file, bytes after the image are ignored.
    if isAnimated { return }
    try checkImageIsComplete(bytes)
    if let shortage { throw shortage }
  }
}
