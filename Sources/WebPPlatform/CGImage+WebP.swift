#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation
  import PureWebP
  import WebPExport

  extension WebP.Image {
    /// Creates an image for CoreGraphics. The pixels are copied without conversion, in the layout of the pixel format:
    ///
    ///     rgba, rgbaPremultiplied   alpha last
    ///     argb, argbPremultiplied   alpha first
    ///     bgra, bgraPremultiplied   alpha first, in 32-bit words of little-endian order
    ///     rgb                       no alpha, 24 bits
    ///
    /// Premultiplied formats are drawn fastest.
    ///
    /// - Parameters:
    ///   - profile: An ICC profile, as in ``WebP/Metadata``. If it is nil or not for RGB, colors are sRGB.
    ///   - isOpaque: True if the alpha of all pixels is 255. Opaque images are drawn faster.
    /// - Returns: The image, or nil for `bgr`, 16-bit and planar formats, which CoreGraphics does not support.
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

  /// The color space of an RGB profile, or nil for other profiles.
  private func colorSpace(_ profile: [UInt8]) -> CGColorSpace? {
    // The signature of the color space (ICC.1, section 7.2.6).
    guard profile.count >= 20, profile[16..<20].elementsEqual("RGB ".utf8) else { return nil }
    return CGColorSpace(iccData: Data(profile) as CFData)
  }

  extension WebP {
    /// Decodes a still image, or the first frame of an animation on its canvas, for CoreGraphics. The result has the
    /// ICC profile of the file.
    ///
    /// The image is not oriented. ``Metadata/orientation`` specifies how to display it.
    ///
    /// - Parameters:
    ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
    ///   - options: The decoding options, except that the format is `bgraPremultiplied`, which is drawn fastest.
    /// - Throws: `DecodeError`; `ExportError.outOfMemory` if CoreGraphics cannot create the image.
    public static func cgImage(
      _ bytes: some Collection<UInt8>, options: DecodeOptions = DecodeOptions()
    ) throws -> CGImage {
      var options = options
      options.format = .bgraPremultiplied
      let info = try info(bytes)
      // The canvas around a frame is transparent, even if the header specifies an image without alpha.
      return try decode(bytes, options: options).makeCGImage(
        profile: metadata(bytes, limits: options.limits).icc, isOpaque: !info.mayBeTransparent)
    }
  }

  extension WebP.Image {
    func makeCGImage(profile: [UInt8]?, isOpaque: Bool) throws -> CGImage {
      guard let image = cgImage(profile: profile, isOpaque: isOpaque) else { throw WebP.ExportError.outOfMemory }
      return image
    }
  }
#endif
