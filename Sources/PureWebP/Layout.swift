internal import WebPFormat

extension WebP {
  /// The positions of an image's rows in memory.
  ///
  /// Planes are contiguous. A row may be followed by bytes that belong to no pixel:
  ///
  ///     packed             planar, 5 × 3 pixels
  ///     ├─ row 0 ─┤ gap    Y Y Y Y Y     offset 0, stride 5
  ///     ├─ row 1 ─┤ gap    Y Y Y Y Y
  ///     ├─ row 2 ─┤        Y Y Y Y Y
  ///                        U U U         offset 15, stride 3
  ///                        U U U
  ///                        V V V         offset 21, stride 3
  ///                        V V V
  public struct Layout: Hashable, Sendable {
    /// The position of one plane in memory.
    public struct Plane: Hashable, Sendable {
      /// The offset of the first row, in bytes.
      public let offset: Int
      /// The distance from the start of one row to the start of the next, in bytes.
      public let stride: Int
      /// The bytes of a row that belong to pixels.
      public let rowBytes: Int
      /// The number of rows.
      public let rows: Int
    }

    /// One plane for a packed format. Y, U, V for a planar format, and A for ``PixelFormat/yuva``. Y alone for
    /// ``PixelFormat/luma``.
    public let planes: [Plane]
    /// The size of all planes, in bytes. No gap follows the last row of a packed format.
    public let byteCount: Int

    /// Creates the layout of an image. Returns nil if its size does not fit an `Int`, `stride` is less than a row, a
    /// side is not positive, or the stride or the height is 2³¹ − 1 or more.
    ///
    /// - Parameters:
    ///   - format: the format of the pixels.
    ///   - width: the width, in pixels.
    ///   - height: the height, in pixels.
    ///   - stride: the distance between rows, in bytes. In a planar format it applies to luma, and chroma planes have
    ///     half of it, rounded up. Nil for rows without gaps.
    public init?(format: PixelFormat, width: Int, height: Int, stride: Int? = nil) {
      guard width > 0, height > 0 else { return nil }
      let (rowBytes, overflow) = width.multipliedReportingOverflow(by: format.bytesPerPixel)
      let stride = stride ?? rowBytes
      guard !overflow, stride >= rowBytes, stride < Int(Int32.max), height < Int(Int32.max) else { return nil }

      guard let planeCount = format.planeCount else {
        let (gapped, overflow) = stride.multipliedReportingOverflow(by: height - 1)
        let (total, overflowToo) = gapped.addingReportingOverflow(rowBytes)
        guard !overflow, !overflowToo else { return nil }
        planes = [Plane(offset: 0, stride: stride, rowBytes: rowBytes, rows: height)]
        byteCount = total
        return
      }

      var planes: [Plane] = []
      var offset = 0
      for channel in 0..<planeCount {
        let shift = Self.subsamplingShift(ofPlane: channel)  // rounding up
        let plane = Plane(
          offset: offset, stride: (stride + shift) >> shift, rowBytes: (width + shift) >> shift,
          rows: (height + shift) >> shift)
        let (size, overflow) = plane.stride.multipliedReportingOverflow(by: plane.rows)
        let (next, overflowToo) = offset.addingReportingOverflow(size)
        guard !overflow, !overflowToo else { return nil }
        planes.append(plane)
        offset = next
      }
      self.planes = planes
      byteCount = offset
    }
  }
}

extension WebP.Layout {
  /// The binary logarithm of a plane's subsampling in a planar format: 1 for U and V, 0 for Y and A.
  static func subsamplingShift(ofPlane index: Int) -> Int { index == 1 || index == 2 ? 1 : 0 }

  /// Throws unless the caller's memory holds the complete layout.
  func check(_ pixels: borrowing MutableSpan<UInt8>) throws(WebP.DecodeError) {
    guard pixels.count >= byteCount else {
      throw WebP.DecodeError(.bufferTooSmall, value: byteCount)
    }
  }
}
