extension WebP {
  /// What libwebp's decoder for still pictures, which knows no animations, says of one.
  package static func refusal(ofAnimation bytes: [UInt8]) -> DecodeError {
    do {
      try bytes.withSpan { (span) throws(DecodeError) in _ = try StillHeaders(span, need: .picture) }
    } catch {
      return error
    }
    return DecodeError(.unsupported, "an animation", chunk: .vp8X)
  }
}
