#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation
  import PureWebP

  extension WebP.Image {
    /// The picture for CoreGraphics, without a copy of its own of the pixels' colours or order: the layout is told, not
    /// changed.
    ///
    ///     rgba, rgbaPremultiplied   alpha last
    ///     argb, argbPremultiplied   alpha first
    ///     bgra, bgraPremultiplied   alpha first, in 32-bit words of little-endian order
    ///     rgb                       no alpha, 24 bits
    ///
    /// Premultiplied formats are what is drawn fastest.
    ///
    /// - Parameters:
    ///   - profile: an ICC profile, as in ``WebP/Metadata``; without one that is of RGB, colours are sRGB's.
    ///   - isOpaque: whether alpha is 255 everywhere, so that drawing need not look at it.
    /// - Returns: nil for `bgr`, formats of 16 bits and planar ones, which CoreGraphics does not know.
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

  /// The profile's colour space, if it is one of RGB.
  private func colorSpace(_ profile: [UInt8]) -> CGColorSpace? {
    // The signature of the data's colour space (ICC.1, section 7.2.6).
    guard profile.count >= 20, profile[16..<20].elementsEqual("RGB ".utf8) else { return nil }
    return CGColorSpace(iccData: Data(profile) as CFData)
  }

  extension WebP {
    /// Decodes a file for CoreGraphics, with its profile. Of an animation, the first frame.
    ///
    /// The pixels are as they are in the file: ``Metadata/orientation`` tells how they are to be turned.
    public static func cgImage(_ bytes: Data, limits: Limits = Limits()) throws(DecodeError) -> CGImage? {
      var options = DecodeOptions()
      options.format = .bgraPremultiplied
      options.limits = limits
      let info = try info(bytes)
      let image = try decode(bytes, options: options)
      // Around an animation's frame the canvas is transparent, whatever the header says of alpha.
      let isOpaque = !info.mayShowThrough
      return image.cgImage(profile: metadata(bytes, limits: limits).icc, isOpaque: isOpaque)
    }
  }
#endif
