internal import WebPFormat

extension WebP {
  /// The properties of a file of which only the beginning is available. What the given bytes leave open is nil.
  public struct PrefixInfo: Sendable {
    /// The width of the canvas, in pixels.
    public let width: Int
    /// The height of the canvas, in pixels.
    public let height: Int
    /// Indicates whether the file is an animation.
    public let isAnimated: Bool
    /// The value of ``ImageInfo/hasAlpha``. Nil before the header of a still image's bitstream.
    public let hasAlpha: Bool?
    /// The value of ``ImageInfo/compression``. Nil before the header of a still image's bitstream.
    public let compression: ImageInfo.Compression?
    /// The number of frames. For an animation, nil unless the file is complete.
    public let frameCount: Int?
    /// The number of times that the animation is to be shown, where 0 means forever. Nil before the properties of an
    /// animation.
    public let loopCount: Int?
    /// Indicates whether the file has an ICC profile. Nil unless it has been found or the file is complete.
    public let hasICC: Bool?
    /// Indicates whether the file has Exif. Nil unless it has been found or the file is complete.
    public let hasExif: Bool?
    /// Indicates whether the file has XMP. Nil unless it has been found or the file is complete.
    public let hasXMP: Bool?
  }

  /// Reads the properties of a file from its first bytes.
  ///
  /// ```swift
  /// let info = try WebP.info(prefix: bytes.prefix(64))
  /// show(info.width, info.height, info.hasExif ?? "unknown")
  /// ```
  ///
  /// The time is proportional to the number of chunks in `prefix`, regardless of their size.
  ///
  /// - Parameter prefix: The beginning of a file. 30 bytes suffice for the size.
  /// - Throws: If the bytes are not WebP, if a header is corrupt, or if the size is missing.
  @inlinable
  public static func info(prefix: some Collection<UInt8>) throws(DecodeError) -> PrefixInfo {
    try prefix.withSpan { (span) throws(DecodeError) in try info(prefix: span) }
  }

  /// Reads the properties of a file from its first bytes.
  public static func info(prefix: Span<UInt8>) throws(DecodeError) -> PrefixInfo {
    var info = try headers(prefix)
    let hasAnimationHeader = info.readChunks(prefix)
    return PrefixInfo(info, isLoopCountKnown: hasAnimationHeader)
  }
}

extension WebP.PrefixInfo {
  fileprivate init(_ info: WebP.ImageInfo, isLoopCountKnown: Bool) {
    func known(_ isFound: Bool) -> Bool? { isFound || info.isComplete ? isFound : nil }
    (width, height, isAnimated) = (info.width, info.height, info.isAnimated)
    let isStreamKnown = info.isAnimated || info.compression != .unspecified || info.isComplete
    hasAlpha = isStreamKnown ? info.hasAlpha : nil
    compression = isStreamKnown ? info.compression : nil
    frameCount = info.isAnimated && !info.isComplete ? nil : info.frameCount
    loopCount = info.isAnimated && !info.isComplete && !isLoopCountKnown ? nil : info.loopCount
    hasICC = known(info.hasICC)
    hasExif = known(info.hasExif)
    hasXMP = known(info.hasXMP)
  }
}
