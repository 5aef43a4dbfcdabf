extension WebP {
  /// Pixels with a size and a format, either decoded or from the caller.
  public struct Image: Sendable {
    /// The width, in pixels.
    public let width: Int
    /// The height, in pixels.
    public let height: Int
    /// The format of ``pixels``.
    public let format: PixelFormat
    /// The bytes of all planes, without gaps; see ``layout``.
    public let pixels: ContiguousArray<UInt8>
    /// The positions of the planes and rows in ``pixels``.
    public let layout: Layout
    /// A Boolean value that indicates whether ``oriented(_:)`` returned the image. If so, the writers of WebPExport
    /// store ``Metadata/upright()`` metadata with it.
    ///
    /// Comparisons ignore this property.
    public internal(set) var isOriented = false

    /// The distance between the starts of two rows of the first plane, in bytes.
    public var stride: Int { layout.planes[0].stride }

    /// Creates an image from the caller's pixels.
    ///
    /// Returns nil unless the number of bytes equals the size of a ``Layout`` without gaps. Also returns nil if a side
    /// exceeds 2²⁴ pixels, the maximum side of a canvas.
    ///
    /// - Parameters:
    ///   - width: The width, in pixels.
    ///   - height: The height, in pixels.
    ///   - format: The format of the pixels.
    ///   - pixels: The bytes of all planes. A `ContiguousArray` is not copied.
    @inlinable
    public init?(width: Int, height: Int, format: PixelFormat, pixels: some Collection<UInt8>) {
      guard let layout = Layout(ofImage: format, width: width, height: height), pixels.count == layout.byteCount
      else { return nil }
      self.init(width: width, height: height, format: format, pixels: ContiguousArray(pixels), layout: layout)
    }

    /// - Parameter pixels: At least `layout.byteCount` bytes.
    @usableFromInline
    package init(width: Int, height: Int, format: PixelFormat, pixels: ContiguousArray<UInt8>, layout: Layout) {
      precondition(pixels.count >= layout.byteCount, "fewer pixels than the layout has")
      self.width = width
      self.height = height
      self.format = format
      self.pixels = pixels
      self.layout = layout
    }
  }
}

extension WebP.Layout {
  /// The layout of an image without gaps. Nil if a side exceeds the maximum side of a canvas.
  @usableFromInline
  init?(ofImage format: WebP.PixelFormat, width: Int, height: Int) {
    guard max(width, height) <= WebP.OutputSize.maximumSide else { return nil }
    self.init(format: format, width: width, height: height)
  }
}

extension WebP.Image: Hashable {
  public static func == (left: Self, right: Self) -> Bool {
    left.format == right.format && left.layout == right.layout && left.width == right.width
      && left.height == right.height && left.pixels == right.pixels
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(layout)
    hasher.combine(format)
    hasher.combine(pixels)
  }
}
