extension WebP {
  /// The size that a picture, or its crop, is scaled to while it is decoded.
  public enum OutputSize: Hashable, Sendable {
    /// This size, in pixels. One side may be 0: it then follows from the other one and the picture's shape.
    case exact(width: Int, height: Int)
    /// The largest size of the picture's shape that lies within a box.
    case fit(width: Int, height: Int)
    /// The smallest size of the picture's shape that covers a box.
    case fill(width: Int, height: Int)
  }
}

extension WebP.OutputSize {
  /// Sides above this are refused: those of the largest canvas. Scaling takes memory for some rows, however few there are.
  static var maximumSide: Int { 1 << 24 }

  /// The size that a picture gets, or nil where there is none, or one beyond all reason.
  func size(forWidth width: Int, height: Int) -> (width: Int, height: Int)? {
    switch self {
    case .exact(let newWidth, let newHeight):
      return Self.size(newWidth, newHeight, width, height)
    case .fit(let boxWidth, let boxHeight):
      return Self.size(width, height, isIn: true, boxWidth, boxHeight)
    case .fill(let boxWidth, let boxHeight):
      return Self.size(width, height, isIn: false, boxWidth, boxHeight)
    }
  }

  /// Whether no picture can make the size larger than what was asked for.
  var isBounded: Bool {
    switch self {
    case .exact(let width, let height): width > 0 && height > 0
    case .fit: true
    case .fill: false
    }
  }

  /// A side that is left open is rounded up, as libwebp does.
  private static func size(
    _ newWidth: Int, _ newHeight: Int, _ width: Int, _ height: Int
  ) -> (width: Int, height: Int)? {
    guard 0...maximumSide ~= newWidth, 0...maximumSide ~= newHeight else { return nil }
    return valid(
      newWidth == 0 ? scaled(width, newHeight, height, rounding: height - 1) : newWidth,
      newHeight == 0 ? scaled(height, newWidth, width, rounding: width - 1) : newHeight)
  }

  /// The side that a box leaves open is the nearest integer above 0.
  private static func size(
    _ width: Int, _ height: Int, isIn: Bool, _ boxWidth: Int, _ boxHeight: Int
  ) -> (width: Int, height: Int)? {
    guard valid(boxWidth, boxHeight) != nil else { return nil }
    let isWide = Int64(width) * Int64(boxHeight) >= Int64(height) * Int64(boxWidth)
    return isWide == isIn
      ? valid(boxWidth, max(1, scaled(height, boxWidth, width, rounding: width / 2)))
      : valid(max(1, scaled(width, boxHeight, height, rounding: height / 2)), boxHeight)
  }

  private static func valid(_ width: Int, _ height: Int) -> (width: Int, height: Int)? {
    1...maximumSide ~= width && 1...maximumSide ~= height ? (width, height) : nil
  }

  /// (side · numerator + rounding) / denominator. A canvas may have sides of 24 bits: too much for an `Int` of 32.
  private static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int, rounding: Int) -> Int {
    Int(clamping: (Int64(side) * Int64(numerator) + Int64(rounding)) / Int64(denominator))
  }
}
