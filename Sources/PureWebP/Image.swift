extension WebP {
  /// Pixels with a size and a format, either decoded or from the caller.
  public struct Image: Hashable, Sendable {
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
    /// The orientation that ``oriented(_:)``, or decoding with ``DecodeOptions/isUpright``, has applied to the stored
    /// image. Nil if neither was the case.
    ///
    /// If it is not ``WebP/Orientation/up``, the writers of WebPExport store orientation 1 with the image.
    /// Transformations that follow the first one do not change this property, and comparisons ignore it.
    public package(set) var appliedOrientation: Orientation? {
      get { uncompared.orientation }
      set { uncompared.orientation = newValue }
    }

    private var uncompared = Uncompared()

    /// The distance between the starts of two rows of the first plane, in bytes.
    public var stride: Int { layout.planes[0].stride }

    /// Creates an image from the caller's pixels.
    ///
    /// - Parameters:
    ///   - width: The width, in pixels.
    ///   - height: The height, in pixels.
    ///   - format: The format of the pixels.
    ///   - pixels: The bytes of all planes. If the stride is nil, exactly `byteCount` bytes of a ``Layout`` without
    ///     gaps; a `ContiguousArray` is not copied then. Otherwise at least `byteCount` bytes of a layout with this
    ///     stride: gaps and further bytes are not copied.
    ///   - stride: The distance between rows in bytes, as in ``Layout/init(format:width:height:stride:)``. Nil: rows
    ///     without gaps.
    /// - Returns: Nil if the number of bytes or the stride is invalid, or a side exceeds 2²⁴ pixels, the maximum side
    ///   of a canvas.
    @inlinable
    public init?(
      width: Int, height: Int, format: PixelFormat, pixels: some Collection<UInt8>, stride: Int? = nil
    ) {
      guard let stride else {
        guard let layout = Layout(ofImage: format, width: width, height: height), pixels.count == layout.byteCount
        else { return nil }
        self.init(width: width, height: height, format: format, pixels: ContiguousArray(pixels), layout: layout)
        return
      }
      let image = pixels.withSpan { Self.compact($0, width: width, height: height, format: format, stride: stride) }
      guard let image else { return nil }
      self = image
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

/// The properties of an image that comparisons ignore.
private struct Uncompared: Hashable, Sendable {
  var orientation: WebP.Orientation?

  static func == (left: Self, right: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension WebP.Layout {
  /// The layout of an image without gaps. Nil if a side exceeds the maximum side of a canvas.
  @usableFromInline
  init?(ofImage format: WebP.PixelFormat, width: Int, height: Int) {
    guard max(width, height) <= WebP.OutputSize.maximumSide else { return nil }
    self.init(format: format, width: width, height: height)
  }
}

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
    image.appliedOrientation = appliedOrientation
    return image
  }
}
