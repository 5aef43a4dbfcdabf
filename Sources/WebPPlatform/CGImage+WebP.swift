#if canImport(CoreGraphics)
  import CoreGraphics
  import Foundation
  import PureWebP
  import WebPExport
  import WebPLoading

  extension WebP.Image {
    /// Creates an image for CoreGraphics. The pixels are used without conversion, in the layout of the pixel format:
    ///
    ///     rgba, rgbaPremultiplied   alpha last
    ///     argb, argbPremultiplied   alpha first
    ///     bgra, bgraPremultiplied   alpha first, in 32-bit words of little-endian order
    ///     rgb                       no alpha, 24 bits
    ///
    /// Premultiplied formats are drawn fastest. An image whose pixels are all opaque is marked as opaque, so that it is
    /// drawn without blending. The length of rows is a multiple of 32 bytes, as Core Animation requires.
    ///
    /// - Parameter profile: An ICC profile, as in ``WebP/Metadata``. If it is nil or not for RGB, colors are sRGB.
    /// - Returns: The image, or nil for `bgr`, `gray8`, 16-bit and planar formats, which CoreGraphics does not support.
    public func cgImage(profile: [UInt8]? = nil) -> CGImage? { cgImage(in: colorSpace(of: profile)) }

    func cgImage(in space: CGColorSpace?) -> CGImage? {
      format.alphaLayout == nil ? nil : DrawablePixels(self).cgImage(in: space)
    }
  }

  extension DrawablePixels {
    /// Creates an image that shares the memory of the pixels.
    func cgImage(in space: CGColorSpace?) -> CGImage? {
      guard let layout = format.alphaLayout, let space, let provider = CGDataProvider(data: bytes as CFData)
      else { return nil }
      let alpha = isOpaque ? layout.ofOpaque : layout.alpha
      return unsafe CGImage(
        width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 8 * format.bytesPerPixel,
        bytesPerRow: bytesPerRow, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue | layout.order.rawValue), provider: provider,
        decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    }
  }

  extension WebP.PixelFormat {
    /// The layout of the pixel format, and the value that replaces `alpha` if all pixels are opaque.
    fileprivate var alphaLayout: (alpha: CGImageAlphaInfo, ofOpaque: CGImageAlphaInfo, order: CGBitmapInfo)? {
      switch self {
      case .rgba: (.last, .noneSkipLast, .byteOrder32Big)
      case .rgbaPremultiplied: (.premultipliedLast, .noneSkipLast, .byteOrder32Big)
      case .argb: (.first, .noneSkipFirst, .byteOrder32Big)
      case .argbPremultiplied: (.premultipliedFirst, .noneSkipFirst, .byteOrder32Big)
      case .bgra: (.first, .noneSkipFirst, .byteOrder32Little)
      case .bgraPremultiplied: (.premultipliedFirst, .noneSkipFirst, .byteOrder32Little)
      case .rgb: (.none, .none, [])
      case .bgr, .rgb565, .rgba4444, .rgba4444Premultiplied, .yuv, .yuva, .luma, .gray8: nil
      }
    }
  }

  /// The color space of an RGB profile, or sRGB if there is none. All frames of an animation share one.
  func colorSpace(of profile: [UInt8]?) -> CGColorSpace? {
    // The signature of the color space (ICC.1, section 7.2.6).
    guard let profile, profile.count >= 20, profile[16..<20].elementsEqual("RGB ".utf8),
      let space = CGColorSpace(iccData: Data(profile) as CFData)
    else { return CGColorSpace(name: CGColorSpace.sRGB) }
    return space
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
      return try decode(bytes, options: options).makeCGImage(profile: metadata(bytes, limits: options.limits).icc)
    }
  }

  extension ImagePresenter<CGImage>.Conversion {
    /// The conversion for views.
    static let drawable = Self(
      image: { $0.cgImage(profile: $1) }, pixels: { $0.cgImage(in: colorSpace(of: $1)) })
  }

  /// A transparent image with the aspect ratio of a size, and at most 512 pixels on a side.
  func emptyImage(_ size: CGSize) -> CGImage? {
    let factor = 512 / max(size.width, size.height, 1)
    let width = max(1, Int((size.width * factor).rounded()))
    let height = max(1, Int((size.height * factor).rounded()))
    let pixels = repeatElement(0 as UInt8, count: 4 * width * height)
    return WebP.Image(width: width, height: height, format: .bgraPremultiplied, pixels: pixels)?.cgImage()
  }

  extension WebP.Image {
    func makeCGImage(profile: [UInt8]?) throws -> CGImage {
      guard let image = cgImage(profile: profile) else { throw WebP.ExportError.outOfMemory }
      return image
    }
  }
#endif
