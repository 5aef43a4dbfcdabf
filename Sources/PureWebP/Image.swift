extension WebP {
  /// A decoded picture.
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
