extension WebP.DecodeOptions {
  /// How large a picture becomes by these options; nil if its crop or size is none that it can have.
  package func outputSize(of info: WebP.ImageInfo) -> (width: Int, height: Int)? {
    // Of an animation no compression is told, and its canvas is cut like a lossless picture.
    let isLossy = info.compression == .lossy
    guard let window = try? CropWindow(crop, width: info.width, height: info.height, isLossy: isLossy) else {
      return nil
    }
    guard let size else { return (window.width, window.height) }
    return size.size(forWidth: window.width, height: window.height)
  }
}
