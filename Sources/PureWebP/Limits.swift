extension WebP {
  /// How much a picture may ask for before it is refused with ``DecodeError/Kind/limitExceeded``.
  ///
  /// Limits are checked against what the headers claim, before memory is taken for it. Those of a new value suit
  /// pictures from anywhere.
  public struct Limits: Hashable, Sendable {
    /// Width · height at the most. 2²⁷ unless set, which is 512 MiB of RGBA.
    public var maximumPixels = 1 << 27

    public init() {}

    /// No limits but those of the format.
    public static var none: Limits {
      var limits = Limits()
      limits.maximumPixels = .max
      return limits
    }
  }
}
