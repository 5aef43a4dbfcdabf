// The headers of a file that is there as far as it will ever be.

extension StillHeaders {
  /// Walks through the file.
  init(_ bytes: Span<UInt8>, need: Need) throws(WebP.DecodeError) {
    do {
      try walk(bytes, need: need)
    } catch {
      // What an extended file is, VP8X tells; and an animation's pictures are hidden from this walk.
      guard error.kind == .truncated, let extended, need == .headers || extended.isAnimated else { throw error }
    }
  }

  /// Walks through a file that is to be decoded, with the status numbers of libwebp's WebPDecode in errors: it first asks
  /// what the file is, and takes an end of the bytes within that for damage.
  init(forDecoding bytes: Span<UInt8>) throws(WebP.DecodeError) {
    let headers: Self
    do {
      headers = try StillHeaders(bytes, need: .headers)
    } catch {
      throw error.with(status: 3)
    }
    // An animation's frames are the demuxer's; what follows its file is nobody's.
    if headers.isAnimated { self = headers } else { try self.init(bytes, need: .picture) }
  }
}

extension WebP {
  /// What libwebp's decoder for still pictures, which knows no animations, says of one.
  package static func refusal(ofAnimation bytes: [UInt8]) -> DecodeError {
    do {
      try bytes.withSpan { (span) throws(DecodeError) in _ = try StillHeaders(span, need: .picture) }
    } catch {
      return error
    }
    return DecodeError(.animation, chunk: .vp8X)
  }
}
