#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation
  import PureWebP

  extension WebP.Image {
    /// Returns the image for CoreGraphics. The pixels are copied but not converted; CoreGraphics gets their layout:
    ///
    ///     rgba, rgbaPremultiplied   alpha last
    ///     argb, argbPremultiplied   alpha first
    ///     bgra, bgraPremultiplied   alpha first, in 32-bit words of little-endian order
    ///     rgb                       no alpha, 24 bits
    ///
    /// Premultiplied formats are drawn fastest.
    ///
    /// - Parameters:
    ///   - profile: an ICC profile, as in ``WebP/Metadata``. If it is nil or not for RGB, colors are interpreted as
    ///     sRGB.
    ///   - isOpaque: alpha is 255 everywhere, so that drawing can ignore it.
    /// - Returns: nil for `bgr`, 16-bit formats and planar formats, which CoreGraphics does not support.
    public func cgImage(profile: [UInt8]? = nil, isOpaque: Bool = false) -> CGImage? {
      guard let layout = alphaLayout(isOpaque: isOpaque) else { return nil }
      let space = profile.flatMap(colorSpace) ?? CGColorSpace(name: CGColorSpace.sRGB)
      guard let space, let provider = CGDataProvider(data: Data(pixels) as CFData) else { return nil }
      return unsafe CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 8 * format.bytesPerPixel, bytesPerRow: stride,
        space: space, bitmapInfo: CGBitmapInfo(rawValue: layout.alpha.rawValue | layout.order.rawValue),
        provider: provider, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }

    private func alphaLayout(isOpaque: Bool) -> (alpha: CGImageAlphaInfo, order: CGBitmapInfo)? {
      switch format {
      case .rgba: (isOpaque ? .noneSkipLast : .last, .byteOrder32Big)
      case .rgbaPremultiplied: (isOpaque ? .noneSkipLast : .premultipliedLast, .byteOrder32Big)
      case .argb: (isOpaque ? .noneSkipFirst : .first, .byteOrder32Big)
      case .argbPremultiplied: (isOpaque ? .noneSkipFirst : .premultipliedFirst, .byteOrder32Big)
      case .bgra: (isOpaque ? .noneSkipFirst : .first, .byteOrder32Little)
      case .bgraPremultiplied: (isOpaque ? .noneSkipFirst : .premultipliedFirst, .byteOrder32Little)
      case .rgb: (.none, [])
      case .bgr, .rgb565, .rgba4444, .rgba4444Premultiplied, .yuv, .yuva: nil
      }
    }
  }

  /// The color space of the profile, if it is for RGB.
  private func colorSpace(_ profile: [UInt8]) -> CGColorSpace? {
    // The signature of the color space (ICC.1, section 7.2.6).
    guard profile.count >= 20, profile[16..<20].elementsEqual("RGB ".utf8) else { return nil }
    return CGColorSpace(iccData: Data(profile) as CFData)
  }

  extension WebP {
    /// Decodes a file, or the first frame of an animation, for CoreGraphics, with its color profile.
    ///
    /// The pixels are not oriented: ``Metadata/orientation`` specifies their orientation.
    public static func cgImage(_ bytes: Data, limits: Limits = Limits()) throws(DecodeError) -> CGImage? {
      var options = DecodeOptions()
      options.format = .bgraPremultiplied
      options.limits = limits
      let info = try info(bytes)
      let image = try decode(bytes, options: options)
      // The canvas of an animation is transparent outside of its frames, even if the header declares no alpha.
      let isOpaque = !info.mayShowThrough
      return image.cgImage(profile: metadata(bytes, limits: limits).icc, isOpaque: isOpaque)
    }
  }
#endif
