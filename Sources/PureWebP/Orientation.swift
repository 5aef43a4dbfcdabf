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

    /// Indicates whether the transformation swaps width and height.
    public var swapsWidthAndHeight: Bool { rawValue >= Self.leftMirrored.rawValue }
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
  /// - Returns: An image with an ``appliedOrientation``.
  public func oriented(_ orientation: WebP.Orientation) -> Self {
    guard orientation != .up else {
      var image = self
      image.appliedOrientation = appliedOrientation ?? .up
      return image
    }
    let copy = OrientedCopy(of: self, orientation)
    copy.step(pixelLimit: .max)
    return copy.image ?? self
  }
}

/// The copy of an image with another orientation, which is written in one or more steps.
final class OrientedCopy {
  private let source: WebP.Image
  private let orientation: WebP.Orientation
  private let size: WebP.Size
  private let layout: WebP.Layout
  private var pixels: ContiguousArray<UInt8>
  private var finishedRows = 0

  init(of source: WebP.Image, _ orientation: WebP.Orientation) {
    self.source = source
    self.orientation = orientation
    size = WebP.Size(width: source.width, height: source.height).oriented(orientation)
    guard let layout = WebP.Layout(format: source.format, width: size.width, height: size.height) else {
      preconditionFailure("the same pixels fit the same memory")
    }
    self.layout = layout
    pixels = ContiguousArray(uninitializedCount: layout.byteCount)
  }

  /// The image after the last step. Nil before it.
  var image: WebP.Image? {
    guard finishedRows == size.height else { return nil }
    var image = WebP.Image(
      width: size.width, height: size.height, format: source.format, pixels: pixels, layout: layout)
    let earlier = source.appliedOrientation ?? .up
    image.appliedOrientation = earlier == .up ? orientation : earlier
    return image
  }

  /// Writes the next rows, which have about `pixelLimit` pixels.
  func step(pixelLimit: Int) {
    // A multiple of the side of the squares, and of two rows for a row of chroma.
    let rows = max(1, pixelLimit / (32 * size.width)) * 32
    let end = rows < size.height - finishedRows ? finishedRows + rows : size.height
    let input = source.pixels
    var pixels = pixels.moved()
    defer { self.pixels = pixels }
    var span = pixels.mutableSpan
    for (index, (from, to)) in zip(source.layout.planes, layout.planes).enumerated() {
      let shift = source.format.isPlanar ? WebP.Layout.subsamplingShift(ofPlane: index) : 0
      orientPlane(
        from, of: input.span, by: orientation, to: to, of: &span,
        rows: finishedRows >> shift..<(end + shift) >> shift, pixelBytes: source.format.bytesPerPixel)
    }
    finishedRows = end
  }
}
