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
  /// Sides above this are refused.
  private static var maximumSide: Int { 1 << 30 - 1 }

  /// The size that a picture gets, or nil where there is none, or one beyond all reason.
  func size(forWidth width: Int, height: Int) -> (width: Int, height: Int)? {
    switch self {
    case .exact(let newWidth, let newHeight):
      return Self.size(newWidth, newHeight, width, height)
    case .fit(let boxWidth, let boxHeight):
      guard Self.isValid(boxWidth, boxHeight) else { return nil }
      let isWide = width * boxHeight >= height * boxWidth
      return isWide
        ? (boxWidth, Self.scaled(height, boxWidth, width)) : (Self.scaled(width, boxHeight, height), boxHeight)
    case .fill(let boxWidth, let boxHeight):
      guard Self.isValid(boxWidth, boxHeight) else { return nil }
      let isWide = width * boxHeight >= height * boxWidth
      return isWide
        ? (Self.scaled(width, boxHeight, height), boxHeight) : (boxWidth, Self.scaled(height, boxWidth, width))
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

  private static func isValid(_ width: Int, _ height: Int) -> Bool {
    1...maximumSide ~= width && 1...maximumSide ~= height
  }

  /// A side that is left open is rounded up, as libwebp does.
  private static func size(
    _ newWidth: Int, _ newHeight: Int, _ width: Int, _ height: Int
  ) -> (width: Int, height: Int)? {
    guard 0...maximumSide ~= newWidth, 0...maximumSide ~= newHeight else { return nil }
    let result = (
      width: newWidth == 0 ? (width * newHeight + height - 1) / height : newWidth,
      height: newHeight == 0 ? (height * newWidth + width - 1) / width : newHeight
    )
    return isValid(result.width, result.height) ? result : nil
  }

  /// side · numerator / denominator, to the nearest integer above 0.
  private static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
    max(1, (side * numerator + denominator / 2) / denominator)
  }
}
