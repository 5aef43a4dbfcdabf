extension WebP {
  /// How the rows and columns of a picture's pixels are to be shown: the values of Exif's tag 0x0112.
  ///
  /// The names say where the stored picture's top is when it is shown as it should be, as in ImageIO.
  public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// As it is.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Turned by 180°.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Rows become columns: mirrored at the diagonal from the top left.
    case leftMirrored
    /// Turned clockwise by 90°.
    case right
    /// Mirrored at the diagonal from the top right.
    case rightMirrored
    /// Turned counterclockwise by 90°.
    case left

    /// Whether width and height change places.
    public var exchangesSides: Bool { rawValue >= Self.leftMirrored.rawValue }

    /// The size of what has `width` and `height` before it is turned.
    package func turned(width: Int, height: Int) -> (width: Int, height: Int) {
      exchangesSides ? (height, width) : (width, height)
    }
  }
}

extension WebP.Image {
  /// The picture turned and mirrored, so that it is seen as it was meant to.
  ///
  /// ```swift
  /// let upright = image.oriented(WebP.metadata(bytes).orientation ?? .up)
  /// ```
  ///
  /// Pixels change places and keep their values. Planar formats have their chroma planes permuted like the luma plane,
  /// which moves chroma by a pixel against luma where an odd side is mirrored.
  public func oriented(_ orientation: WebP.Orientation) -> Self {
    guard orientation != .up else { return self }
    let size = orientation.turned(width: width, height: height)
    guard let layout = WebP.Layout(format: format, width: size.width, height: size.height) else {
      preconditionFailure("the same pixels fit the same memory")
    }
    var turned = ContiguousArray<UInt8>(uninitializedCount: layout.byteCount)
    var span = turned.mutableSpan
    for (source, target) in zip(self.layout.planes, layout.planes) {
      turnPlane(source, of: pixels.span, by: orientation, to: target, of: &span, pixelBytes: format.bytesPerPixel)
    }
    return Self(width: size.width, height: size.height, format: format, pixels: turned, layout: layout)
  }
}
