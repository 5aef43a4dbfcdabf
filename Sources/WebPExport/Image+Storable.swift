import PureWebP

extension WebP.Image {
  /// The image in a pixel format that the writer of a file format accepts: the image itself, or the result of
  /// `converted(to:)`.
  func storable(in file: WebP.FileFormat) -> Self {
    let isPlain = [WebP.PixelFormat.rgba, .bgra, .argb, .rgb, .bgr].contains(format)
    return switch file {
    case .png, .pam, .ppm, .bmp, .tiff: isPlain ? self : converted(to: format.hasAlpha ? .rgba : .rgb)
    case .pgm, .yuv: format.isPlanar ? self : converted(to: format.hasAlpha ? .yuva : .yuv)
    case .alpha: isPlain && format.hasAlpha || format == .yuva ? self : converted(to: .rgba)
    }
  }
}
