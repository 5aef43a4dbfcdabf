extension WebP {
  /// How much a picture may ask for before it is refused with ``DecodeError/Kind/limitExceeded``.
  ///
  /// Limits are checked against what the headers claim, before memory is taken for it. Those of a new value suit
  /// pictures from anywhere.
  public struct Limits: Hashable, Sendable {
    /// Width · height at the most, of a picture and of an animation's canvas. 2²⁷ unless set, which is 512 MiB of RGBA.
    public var maximumPixels = 1 << 27
    /// Of an animation. 2¹⁸ unless set: two hours at thirty-six frames a second.
    public var maximumFrames = 1 << 18
    /// The sum of width · height over all frames of an animation: what it takes to play it once. 2³⁶ unless set, or
    /// what fits an `Int`: eighteen minutes of 1080p at thirty frames a second.
    public var maximumTotalPixels = Int(clamping: 1 << 36 as Int64)
    /// The sum of the metadata chunks, in bytes. 2²⁶ unless set. Metadata beyond that is left out; it is no error.
    public var maximumMetadataBytes = 1 << 26

    public init() {}

    /// No limits but those of the format.
    public static var none: Limits {
      var limits = Limits()
      limits.maximumPixels = .max
      limits.maximumFrames = .max
      limits.maximumTotalPixels = .max
      limits.maximumMetadataBytes = .max
      return limits
    }
  }
}
