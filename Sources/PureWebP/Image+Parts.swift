extension WebP.Image {
  /// The bytes of one pixel, in the order of the format. In a planar format, they are one sample of each plane.
  ///
  /// ```swift
  /// let red = image[3, 4].first
  /// ```
  ///
  /// - Precondition: `x` is in `0..<width`, and `y` in `0..<height`.
  public subscript(x: Int, y: Int) -> ArraySlice<UInt8> {
    precondition(0..<width ~= x && 0..<height ~= y, "the pixel is outside of the image")
    guard format.isPlanar else {
      let start = layout.planes[0].offset + y * stride + x * format.bytesPerPixel
      return ArraySlice(pixels[start..<start + format.bytesPerPixel])
    }
    return ArraySlice(
      layout.planes.enumerated().map { index, plane in
        let shift = WebP.Layout.subsamplingShift(ofPlane: index)
        return pixels[plane.offset + (y >> shift) * plane.stride + x >> shift]
      })
  }

  /// A copy of a part of the image.
  ///
  /// In a planar format, the left and upper edges of the part are rounded down to even coordinates. The size of the
  /// part does not change.
  ///
  /// - Parameter rectangle: The part, in pixels.
  /// - Returns: Nil if the rectangle is empty or not inside of the image.
  public func cropped(to rectangle: WebP.Rectangle) -> Self? {
    guard rectangle.x >= 0, rectangle.width > 0, rectangle.width <= width - rectangle.x,
      rectangle.y >= 0, rectangle.height > 0, rectangle.height <= height - rectangle.y,
      let layout = WebP.Layout(format: format, width: rectangle.width, height: rectangle.height)
    else { return nil }
    let (left, top) = format.isPlanar ? (rectangle.x & ~1, rectangle.y & ~1) : (rectangle.x, rectangle.y)
    var cropped = ContiguousArray<UInt8>()
    cropped.reserveCapacity(layout.byteCount)
    for (index, (source, target)) in zip(self.layout.planes, layout.planes).enumerated() {
      let shift = format.isPlanar ? WebP.Layout.subsamplingShift(ofPlane: index) : 0
      let start = source.offset + (top >> shift) * source.stride + (left >> shift) * format.bytesPerPixel
      for row in 0..<target.rows {
        cropped += pixels[(start + row * source.stride)...].prefix(target.rowBytes)
      }
    }
    var image = Self(
      width: rectangle.width, height: rectangle.height, format: format, pixels: cropped, layout: layout)
    image.isOriented = isOriented
    return image
  }
}
