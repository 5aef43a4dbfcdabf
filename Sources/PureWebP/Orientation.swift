internal import WebPFormat

extension WebP {
  /// The transformation that stored pixels need before they are shown. The raw values are the values of Exif's tag
  /// 0x0112.
  ///
  /// A name specifies the side to which the top of the stored image moves, as in ImageIO.
  public enum Orientation: Int, Hashable, Sendable, CaseIterable {
    /// No transformation.
    case up = 1
    /// Mirrored left to right.
    case upMirrored
    /// Rotated by 180°.
    case down
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored at the diagonal from the top left to the bottom right.
    case leftMirrored
    /// Rotated clockwise by 90°.
    case right
    /// Mirrored at the diagonal from the top right to the bottom left.
    case rightMirrored
    /// Rotated counterclockwise by 90°.
    case left

    /// A Boolean value that indicates whether the transformation swaps width and height.
    public var swapsWidthAndHeight: Bool { rawValue >= Self.leftMirrored.rawValue }

    /// The size after the transformation.
    package func orientedSize(width: Int, height: Int) -> (width: Int, height: Int) {
      swapsWidthAndHeight ? (height, width) : (width, height)
    }
  }
}

extension WebP.Image {
  /// Rotates and mirrors the image.
  ///
  /// ```swift
  /// let metadata = WebP.metadata(bytes)
  /// let upright = try WebP.decode(bytes).oriented(metadata.orientation ?? .up)
  /// let png = try upright.encoded(metadata: metadata)  // stores orientation 1
  /// ```
  ///
  /// Pixels change their positions and keep their values. In planar formats, the chroma planes are transformed like the
  /// luma plane. If the image is mirrored along a side of odd length, the chroma planes move by one pixel relative
  /// to luma.
  ///
  /// - Returns: An image whose ``isOriented`` is true.
  public func oriented(_ orientation: WebP.Orientation) -> Self {
    guard orientation != .up else {
      var image = self
      image.isOriented = true
      return image
    }
    let size = orientation.orientedSize(width: width, height: height)
    guard let layout = WebP.Layout(format: format, width: size.width, height: size.height) else {
      preconditionFailure("the same pixels fit the same memory")
    }
    var orientedPixels = ContiguousArray<UInt8>(uninitializedCount: layout.byteCount)
    var span = orientedPixels.mutableSpan
    for (source, target) in zip(self.layout.planes, layout.planes) {
      orientPlane(source, of: pixels.span, by: orientation, to: target, of: &span, pixelBytes: format.bytesPerPixel)
    }
    var image = Self(width: size.width, height: size.height, format: format, pixels: orientedPixels, layout: layout)
    image.isOriented = true
    return image
  }
}
