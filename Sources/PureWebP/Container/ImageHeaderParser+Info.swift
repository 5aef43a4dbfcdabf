internal import WebPFormat

extension ImageHeaderParser {
  /// The properties that libwebp reports as features.
  var info: WebP.ImageInfo? {
    guard let (width, height) = size else { return nil }
    let compression: WebP.ImageInfo.Compression =
      switch streamType {
      case nil: .unspecified
      case .vp8L: .lossless
      default: .lossy
      }
    return WebP.ImageInfo(
      width: width, height: height, hasAlpha: hasAlpha, isAnimated: isAnimated, compression: compression)
  }
}

extension WebP {
  /// The error that libwebp's decoder for still images reports for an animation.
  package static func stillDecoderError(forAnimation bytes: [UInt8]) -> DecodeError {
    do {
      try bytes.withSpan { (span) throws(DecodeError) in
        _ = try DecodeError.converting(try ImageHeaderParser(span, need: .image))
      }
    } catch {
      return error
    }
    return DecodeError(.animation, chunk: .vp8X)
  }
}
