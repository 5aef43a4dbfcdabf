internal import WebPFormat

extension WebPCompact {
  /// Limits on the memory and the work that a file may cause.
  ///
  /// The headers are checked against the limits before memory is allocated. The default limits suit files from unknown
  /// sources. They equal the limits in `WebP.Limits`, whose documentation explains them.
  public struct Limits: Hashable, Sendable {
    /// The maximum of width · height, of an image and of an animation's canvas.
    public var maximumPixels: Int
    /// The number of pixels that need not be backed by bytes of the file. The default is 2²⁶, or 2²⁴ on platforms with
    /// a 32-bit `Int`.
    public var unrestrictedPixels: Int
    /// The number of pixels beyond ``unrestrictedPixels`` that each byte of the file allows.
    public var maximumPixelsPerByte: Int
    /// The maximum size of a file. If `Int` has 32 bits, less than 240 MiB are accepted.
    public var maximumBytes: Int
    /// The maximum number of frames.
    public var maximumFrames: Int
    /// The maximum number of pixels of all frames of an animation together.
    public var maximumAnimationPixels: Int

    /// Creates limits. Limits that are not passed have their default values.
    public init(
      maximumPixels: Int = 1 << 27, unrestrictedPixels: Int = 1 << min(26, Int.bitWidth - 8),
      maximumPixelsPerByte: Int = 1 << 8, maximumBytes: Int = 1 << 30, maximumFrames: Int = 1 << 18,
      maximumAnimationPixels: Int = Int(clamping: 1 << 36 as Int64)
    ) {
      self.maximumPixels = maximumPixels
      self.unrestrictedPixels = unrestrictedPixels
      self.maximumPixelsPerByte = maximumPixelsPerByte
      self.maximumBytes = maximumBytes
      self.maximumFrames = maximumFrames
      self.maximumAnimationPixels = maximumAnimationPixels
    }

    var plain: FormatLimits {
      FormatLimits(
        maximumPixels: maximumPixels, unrestrictedPixels: unrestrictedPixels,
        maximumPixelsPerByte: maximumPixelsPerByte, maximumBytes: maximumBytes, maximumFrames: maximumFrames,
        maximumAnimationPixels: maximumAnimationPixels)
    }
  }
}
