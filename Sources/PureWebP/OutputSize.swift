extension WebP {
  /// The size to which an image, or its crop, is scaled during decoding.
  ///
  /// `fit` and `fill` preserve the aspect ratio and do not enlarge the image unless `enlarges` is true. If they do not
  /// change the size, the pixels are the same as without a size. `exact` scales a still image to its own size too, as
  /// libwebp does, but not the canvas of an animation. A bound that is nil does not limit that side. Sides and bounds
  /// are at least 1. If `enlarges` is true, it is at most 2²⁴.
  @nonexhaustive
  public enum OutputSize: Hashable, Sendable {
    /// The given size, in pixels. If one side is nil, it follows from the other side and the image's aspect ratio.
    case exact(width: Int? = nil, height: Int? = nil)
    /// The largest size that lies within a box.
    case fit(width: Int? = nil, height: Int? = nil, enlarges: Bool = false)
    /// The smallest size that covers a box.
    case fill(width: Int? = nil, height: Int? = nil, enlarges: Bool = false)
  }
}

extension WebP.OutputSize {
  /// The maximum side of the output, in pixels: the maximum side of a canvas. It bounds the memory for the rows that
  /// scaling buffers, even if the output has few pixels.
  static var maximumSide: Int { 1 << 24 }

  /// The size to which an image is scaled. Nil if it is invalid or has a side above `maximumSide`.
  func size(for image: WebP.Size) -> WebP.Size? {
    switch self {
    case .exact(let newWidth, let newHeight):
      return Self.size(newWidth, newHeight, image.width, image.height)
    case .fit(let boxWidth, let boxHeight, let enlarges):
      return Box(width: boxWidth, height: boxHeight, isCovered: false, enlarges: enlarges)
        .size(for: image)
    case .fill(let boxWidth, let boxHeight, let enlarges):
      return Box(width: boxWidth, height: boxHeight, isCovered: true, enlarges: enlarges)
        .size(for: image)
    }
  }

  /// The size with width and height exchanged.
  package var transposed: Self {
    switch self {
    case .exact(let width, let height): .exact(width: height, height: width)
    case .fit(let width, let height, let enlarges): .fit(width: height, height: width, enlarges: enlarges)
    case .fill(let width, let height, let enlarges): .fill(width: height, height: width, enlarges: enlarges)
    }
  }

  /// Indicates whether an image is scaled even to its own size, as libwebp does. Scaling resamples chroma.
  var scalesToOwnSize: Bool {
    if case .exact = self { true } else { false }
  }

  /// Indicates whether the output size is bounded for every aspect ratio, by the options or by the image's own size.
  var isBounded: Bool {
    switch self {
    case .exact(let width, let height): width != nil && height != nil
    case .fit(let width, let height, let enlarges): !enlarges || width != nil && height != nil
    case .fill(_, _, let enlarges): !enlarges
    }
  }

  /// The size for `exact`. A side that is nil is computed from the other side and rounded up, as in libwebp.
  private static func size(
    _ newWidth: Int?, _ newHeight: Int?, _ width: Int, _ height: Int
  ) -> WebP.Size? {
    guard isValid(newWidth ?? 1), isValid(newHeight ?? 1) else { return nil }
    switch (newWidth, newHeight) {
    case (let newWidth?, let newHeight?): return WebP.Size(width: newWidth, height: newHeight)
    case (let newWidth?, nil): return valid(newWidth, scaled(height, newWidth, width, rounding: width - 1))
    case (nil, let newHeight?): return valid(scaled(width, newHeight, height, rounding: height - 1), newHeight)
    case (nil, nil): return nil
    }
  }

  fileprivate static func valid(_ width: Int, _ height: Int) -> WebP.Size? {
    isValid(width) && isValid(height) ? WebP.Size(width: width, height: height) : nil
  }

  fileprivate static func isValid(_ side: Int) -> Bool { 1...maximumSide ~= side }

  /// (side · numerator + rounding) / denominator, in 64 bits because a canvas side has up to 24 bits.
  fileprivate static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int, rounding: Int) -> Int {
    Int(clamping: (Int64(side) * Int64(numerator) + Int64(rounding)) / Int64(denominator))
  }
}

/// The bounds of `fit` and `fill`.
private struct Box {
  var width: Int?
  var height: Int?
  /// If true, the image covers the box (`fill`). Otherwise it lies within the box (`fit`).
  var isCovered: Bool
  var enlarges: Bool

  /// The size to which an image is scaled. Nil if a bound is invalid.
  func size(for image: WebP.Size) -> WebP.Size? {
    let (width, height) = (image.width, image.height)
    switch (self.width, self.height) {
    case (let boxWidth?, let boxHeight?):
      // If nothing is enlarged, a larger bound has the same effect as the image's own side.
      let (boxWidth, boxHeight) = enlarges ? (boxWidth, boxHeight) : (min(boxWidth, width), min(boxHeight, height))
      guard WebP.OutputSize.isValid(boxWidth), WebP.OutputSize.isValid(boxHeight) else { return nil }
      let isWide = Int64(width) * Int64(boxHeight) >= Int64(height) * Int64(boxWidth)
      return isWide != isCovered ? size(width, height, toWidth: boxWidth) : size(width, height, toHeight: boxHeight)
    case (let boxWidth?, nil): return size(width, height, toWidth: boxWidth)
    case (nil, let boxHeight?): return size(width, height, toHeight: boxHeight)
    case (nil, nil): return enlarges ? nil : image
    }
  }

  private func size(_ width: Int, _ height: Int, toWidth bound: Int) -> WebP.Size? {
    if !enlarges, bound >= width { return WebP.Size(width: width, height: height) }
    guard WebP.OutputSize.isValid(bound) else { return nil }
    return WebP.OutputSize.valid(bound, side(height, scaledBy: bound, over: width))
  }

  private func size(_ width: Int, _ height: Int, toHeight bound: Int) -> WebP.Size? {
    if !enlarges, bound >= height { return WebP.Size(width: width, height: height) }
    guard WebP.OutputSize.isValid(bound) else { return nil }
    return WebP.OutputSize.valid(side(width, scaledBy: bound, over: height), bound)
  }

  /// The scaled side, rounded to the nearest integer, and at least 1.
  private func side(_ side: Int, scaledBy numerator: Int, over denominator: Int) -> Int {
    max(1, WebP.OutputSize.scaled(side, numerator, denominator, rounding: denominator / 2))
  }
}
