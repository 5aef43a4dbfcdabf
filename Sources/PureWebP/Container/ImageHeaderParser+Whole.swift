// Parsing of the headers of a complete file, or of a truncated file to which no bytes will be added.

extension ImageHeaderParser {
  /// Parses the headers.
  init(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    do {
      try walk(bytes, need: need)
    } catch {
      // VP8X specifies the properties of an extended file, and this parser does not find the images of an animation.
      guard error.kind == .truncated, let extended, need == .headers || extended.isAnimated else { throw error }
    }
  }

  /// Parses the headers of a file for decoding. Errors have the status numbers of libwebp's WebPDecode. It
  /// parses the features first, and reports a file that ends within them as corrupt.
  init(forDecoding bytes: Span<UInt8>) throws(WebP.DecodeError) {
    let headers: Self
    do {
      headers = try ImageHeaderParser(bytes, need: .headers)
    } catch {
      throw error.with(status: 3)
    }
    // The frames of an animation are found by the demuxer. Bytes after the image are ignored.
    if headers.isAnimated { self = headers } else { try self.init(bytes, need: .picture) }
  }
}

extension WebP {
  /// The error of libwebp's decoder for still images for the given animation.
  package static func stillDecoderError(forAnimation bytes: [UInt8]) -> DecodeError {
    do {
      try bytes.withSpan { (span) throws(DecodeError) in _ = try ImageHeaderParser(span, need: .picture) }
    } catch {
      return error
    }
    return DecodeError(.animation, chunk: .vp8X)
  }
}
