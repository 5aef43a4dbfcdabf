extension WebP.DecodeOptions {
  /// The size of the image that decoding a file with these options produces, in pixels.
  ///
  /// - Parameter info: the headers of the file, from `WebP.info(_:)`.
  /// - Throws: if the crop or the size is invalid for this file, or exceeds `limits`.
  public func outputSize(for info: WebP.ImageInfo) throws(WebP.DecodeError) -> (width: Int, height: Int) {
    let geometry = try geometry(for: info)
    return (geometry.width, geometry.height)
  }

  /// The layout of the pixels that decoding a file with these options produces.
  ///
  /// Its `byteCount` is the size of the memory that `decode(_:into:stride:options:)` needs.
  ///
  /// - Parameters:
  ///   - info: the headers of the file, from `WebP.info(_:)`.
  ///   - stride: the distance between rows in bytes, as in ``WebP/Layout``; nil: rows without gaps.
  /// - Throws: if the crop, the size or the stride is invalid for this file, or exceeds `limits`.
  public func layout(for info: WebP.ImageInfo, stride: Int? = nil) throws(WebP.DecodeError) -> WebP.Layout {
    try geometry(for: info).layout(format, stride: stride)
  }

  /// The geometry of the output. The crop of an animation may begin at odd coordinates, as in a lossless image.
  private func geometry(for info: WebP.ImageInfo) throws(WebP.DecodeError) -> OutputGeometry {
    try OutputGeometry(self, width: info.width, height: info.height, isLossy: info.compression == .lossy)
  }
}
