extension WebP {
  /// A color that is not premultiplied.
  ///
  /// ```swift
  /// let orange: WebP.Color = 0xFFA500
  /// let shade = WebP.Color(red: 0, green: 0, blue: 0, alpha: 128)
  /// ```
  public struct Color: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// A sample, from 0 to 255.
    public var red, green, blue, alpha: UInt8

    /// Creates a color. By default it is opaque.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// Creates an opaque color.
    ///
    /// - Parameter rgb: The color as 0xRRGGBB.
    /// - Precondition: `rgb` is at most 0xFFFFFF.
    public init(integerLiteral rgb: UInt32) {
      precondition(rgb <= 0xFF_FFFF, "a color has six digits: 0xRRGGBB")
      self.init(argb: 0xFF00_0000 | rgb)
    }

    /// Creates a color from 0xAARRGGBB.
    package init(argb: UInt32) {
      red = UInt8(truncatingIfNeeded: argb >> 16)
      green = UInt8(truncatingIfNeeded: argb >> 8)
      blue = UInt8(truncatingIfNeeded: argb)
      alpha = UInt8(truncatingIfNeeded: argb >> 24)
    }
  }
}
