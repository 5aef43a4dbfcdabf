extension WebP.DecodeOptions {
  /// How large a picture becomes by these options; nil if its crop or size is none that it can have.
  package func outputSize(of info: WebP.ImageInfo) -> (width: Int, height: Int)? {
    guard let window = try? CropWindow(crop, width: info.width, height: info.height, isLossy: false) else { return nil }
    guard let size else { return (window.width, window.height) }
    return size.size(forWidth: window.width, height: window.height)
  }
}
