internal import WebPFormat

extension WebP {
  /// The properties of a file of which only the beginning is available. What the given bytes leave open is nil.
  ///
  /// If the file is complete, each member equals the member of ``ImageInfo``.
  public struct PrefixInfo: Hashable, Sendable {
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
    /// The orientation in Exif. ``WebP/Orientation/up`` if the file has none. Nil unless Exif has been found or the
    /// file is complete.
    public let orientation: Orientation?
    /// Indicates whether VP8X declares an ICC profile. Encoders may set the flags of VP8X without the chunk, or write
    /// the chunk without the flag.
    public let declaresICC: Bool
    /// Indicates whether VP8X declares Exif.
    public let declaresExif: Bool
    /// Indicates whether VP8X declares XMP.
    public let declaresXMP: Bool
    /// The size of the file in bytes, as its first bytes specify it. Nil for a bare bitstream, unless a stream
    /// has received its end.
    public let byteCount: Int64?
  }

  /// Reads the properties of a file from its first bytes.
  ///
  /// ```swift
  /// let info = try WebP.info(prefix: bytes.prefix(64))
  /// show(info.width, info.height, info.hasExif ?? "unknown")
  /// ```
  ///
  /// The time is proportional to the number of chunks in `prefix` and the size of Exif, regardless of the size of other
  /// chunks.
  ///
  /// - Parameter prefix: The beginning of a file. 30 bytes suffice for the size.
  /// - Throws: If the bytes are not WebP, if a header is corrupt, or if the size is missing.
  @inlinable
  public static func info(prefix: some Collection<UInt8>) throws(DecodeError) -> PrefixInfo {
    try prefix.withSpan { (span) throws(DecodeError) in try info(prefix: span) }
  }

  /// Reads the properties of a file from its first bytes.
  public static func info(prefix: Span<UInt8>) throws(DecodeError) -> PrefixInfo {
    let (headers, chunks) = (try headers(prefix), chunks(prefix))
    // A bare bitstream has no chunks that could follow.
    let isComplete = (chunks.facts.byteCount ?? 0) <= Int64(prefix.count)
    return PrefixInfo(headers, chunks, count: nil, isComplete: isComplete)
  }
}

extension WebP.PrefixInfo {
  /// - Parameters:
  ///   - headers: the properties in the headers of the image.
  ///   - count: the number of bytes of the file. Nil if it is not known.
  ///   - isComplete: whether no more chunks can follow.
  init(_ headers: WebP.ImageInfo, _ chunks: MetadataCollector, count: Int?, isComplete: Bool) {
    var info = headers
    info.add(chunks)
    func known(_ isFound: Bool) -> Bool? { isFound || isComplete ? isFound : nil }
    (width, height, isAnimated) = (info.width, info.height, info.isAnimated)
    let isStreamKnown = info.isAnimated || info.compression != .unspecified || isComplete
    hasAlpha = isStreamKnown ? info.hasAlpha : nil
    compression = isStreamKnown ? info.compression : nil
    frameCount = info.isAnimated && !isComplete ? nil : info.frameCount
    loopCount = info.isAnimated && !isComplete && chunks.facts.animation == nil ? nil : info.loopCount
    (hasICC, hasExif, hasXMP) = (known(info.hasICC), known(info.hasExif), known(info.hasXMP))
    orientation = info.hasExif || isComplete ? info.orientation : nil
    let features = chunks.facts.features
    declaresICC = features & ExtendedHeader.iccFeature != 0
    declaresExif = features & ExtendedHeader.exifFeature != 0
    declaresXMP = features & ExtendedHeader.xmpFeature != 0
    byteCount = chunks.facts.byteCount ?? count.map { Int64($0) }
  }
}
