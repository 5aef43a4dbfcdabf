extension WebP {
  /// The size of an image, in pixels.
  public struct Size: Hashable, Sendable {
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a size.
    public init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }
}

extension WebP.Size {
  init(_ size: (width: Int, height: Int)) { self.init(width: size.width, height: size.height) }

  /// The size after an orientation has been applied.
  package func oriented(_ orientation: WebP.Orientation) -> Self {
    orientation.swapsWidthAndHeight ? Self(width: height, height: width) : self
  }
}

extension WebP {
  /// A part of an image, in pixels from its top left corner.
  public struct Rectangle: Hashable, Sendable {
    /// The left column.
    public var x: Int
    /// The top row.
    public var y: Int
    /// The number of columns.
    public var width: Int
    /// The number of rows.
    public var height: Int

    /// Creates a rectangle.
    public init(x: Int, y: Int, width: Int, height: Int) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// The size.
    package var size: Size { Size(width: width, height: height) }
  }
}
