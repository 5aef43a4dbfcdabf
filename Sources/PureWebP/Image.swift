extension WebP {
  /// A picture: one that was decoded, or pixels of your own.
  public struct Image: Hashable, Sendable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    public let format: PixelFormat
    /// The bytes of all planes, without gaps; see ``layout``.
    public let pixels: ContiguousArray<UInt8>
    /// Where the planes and rows are in ``pixels``.
    public let layout: Layout

    /// Bytes from one row of the first plane to the next.
    public var stride: Int { layout.planes[0].stride }

    /// A picture of your own pixels.
    ///
    /// Nil unless there are just as many bytes as the ``Layout`` of such a picture takes without gaps, and no side is
    /// longer than 2²⁴, which is the longest that a canvas has.
    ///
    /// - Parameters:
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - format: of the pixels.
    ///   - pixels: the bytes of all planes. An array is not copied.
    public init?(width: Int, height: Int, format: PixelFormat, pixels: some Collection<UInt8>) {
      guard max(width, height) <= OutputSize.maximumSide,
        let layout = Layout(format: format, width: width, height: height), pixels.count == layout.byteCount
      else { return nil }
      self.init(width: width, height: height, format: format, pixels: ContiguousArray(pixels), layout: layout)
    }

    /// - Parameter pixels: as many bytes as `layout` asks for.
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
