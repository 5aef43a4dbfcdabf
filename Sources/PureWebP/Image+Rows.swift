internal import WebPFormat

extension WebP.Image {
  /// Copies rows that may have gaps. The time is proportional to the size of the image.
  @usableFromInline
  static func compact(
    _ pixels: Span<UInt8>, width: Int, height: Int, format: WebP.PixelFormat, stride: Int
  ) -> Self? {
    guard let layout = WebP.Layout(ofImage: format, width: width, height: height),
      let source = WebP.Layout(format: format, width: width, height: height, stride: stride),
      pixels.count >= source.byteCount
    else { return nil }
    var compact = ContiguousArray<UInt8>(uninitializedCount: layout.byteCount)
    for (from, to) in zip(source.planes, layout.planes) {
      for row in 0..<to.rows {
        compact.copy(to.rowBytes, from: pixels, at: from.offset + row * from.stride, to: to.offset + row * to.stride)
      }
    }
    return Self(width: width, height: height, format: format, pixels: compact, layout: layout)
  }

  /// Copies a plane to the caller's memory, such as a plane of a pixel buffer, with a stride of its own.
  ///
  /// - Parameters:
  ///   - index: The index of the plane in `layout.planes`.
  ///   - memory: At least `stride` bytes for each row except the last one, and the bytes of its pixels for the last
  ///     one. Bytes between the rows do not change.
  ///   - stride: The distance between rows in `memory`, in bytes. At least `layout.planes[index].rowBytes`.
  /// - Throws: `invalidOptions` if the stride or the memory is too small.
  /// - Precondition: `layout.planes` has a plane with this index.
  public func copyPlane(
    _ index: Int, into memory: inout MutableSpan<UInt8>, stride: Int
  ) throws(WebP.DecodeError) {
    let plane = layout.planes[index]
    try Self.check(memory, rows: plane.rows, rowBytes: plane.rowBytes, stride: stride)
    for row in 0..<plane.rows {
      memory.copy(plane.rowBytes, from: pixels.span, at: plane.offset + row * plane.stride, to: row * stride)
    }
  }

  /// Copies U and V to the caller's memory as the second plane of NV12: U V U V …
  ///
  /// ```swift
  /// let image = try WebP.decode(bytes, options: .init(format: .yuv))
  /// try image.copyPlane(0, into: &luma, stride: lumaStride)
  /// try image.copyInterleavedChroma(into: &chroma, stride: chromaStride)
  /// ```
  ///
  /// - Parameters:
  ///   - memory: At least `stride` bytes for each row except the last one, and the bytes of its pixels for the last
  ///     one. Bytes between the rows do not change.
  ///   - stride: The distance between rows in `memory`, in bytes. At least `2 * layout.planes[1].rowBytes`.
  /// - Throws: `invalidOptions` if the stride or the memory is too small.
  /// - Precondition: The format is ``WebP/PixelFormat/yuv`` or ``WebP/PixelFormat/yuva``.
  public func copyInterleavedChroma(
    into memory: inout MutableSpan<UInt8>, stride: Int
  ) throws(WebP.DecodeError) {
    precondition(layout.planes.count >= 3, "the image has no chroma planes")
    let (u, v) = (layout.planes[1], layout.planes[2])
    try Self.check(memory, rows: u.rows, rowBytes: 2 * u.rowBytes, stride: stride)
    let pixels = pixels.span
    for row in 0..<u.rows {
      for x in 0..<u.rowBytes {
        memory[row * stride + 2 * x] = pixels[u.offset + row * u.stride + x]
        memory[row * stride + 2 * x + 1] = pixels[v.offset + row * v.stride + x]
      }
    }
  }

  private static func check(
    _ memory: borrowing MutableSpan<UInt8>, rows: Int, rowBytes: Int, stride: Int
  ) throws(WebP.DecodeError) {
    guard stride >= rowBytes, let layout = WebP.Layout(format: .luma, width: rowBytes, height: rows, stride: stride)
    else { throw WebP.DecodeError(.invalidStride) }
    // No gap is needed after the last row.
    let needed = layout.byteCount - (stride - rowBytes)
    guard memory.count >= needed else { throw WebP.DecodeError(.bufferTooSmall, value: needed) }
  }
}
