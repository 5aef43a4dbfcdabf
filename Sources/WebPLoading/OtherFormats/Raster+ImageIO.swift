#if canImport(ImageIO)
  import CoreGraphics
  import Foundation
  import ImageIO
  import PureWebP

  extension Raster {
    /// Decodes the first image of a file with ImageIO, oriented by its metadata and converted to sRGB.
    ///
    /// - Throws: `URLError`.
    init(imageIO file: Data, limits: WebP.Limits) throws {
      let corrupt = URLError(.cannotDecodeContentData, "ImageIO cannot decode the image")
      guard let source = CGImageSourceCreateWithData(file as CFData, nil),
        let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
        let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      else { throw corrupt }
      try Self.check(width: width, height: height, fileLength: file.count, limits)
      // A thumbnail of full size is created, because ImageIO applies the orientation only to thumbnails.
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: max(width, height),
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary),
        let space = CGColorSpace(name: CGColorSpace.sRGB)
      else { throw corrupt }
      self.width = image.width
      self.height = image.height
      pixels = [UInt8](repeating: 0, count: image.width * image.height * 4)
      let isDrawn = unsafe pixels.withUnsafeMutableBytes { buffer -> Bool in
        let context = unsafe CGContext(
          data: buffer.baseAddress, width: image.width, height: image.height, bitsPerComponent: 8,
          bytesPerRow: image.width * 4, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
        return context != nil
      }
      guard isDrawn else { throw corrupt }
      divideByAlpha()
    }

    /// Converts premultiplied colors to straight colors.
    private mutating func divideByAlpha() {
      for offset in stride(from: 0, to: pixels.count, by: 4) {
        let alpha = Int(pixels[offset + 3])
        guard alpha != 0, alpha != 255 else { continue }
        for index in offset..<offset + 3 {
          pixels[index] = UInt8(min(255, (Int(pixels[index]) * 255 + alpha / 2) / alpha))
        }
      }
    }
  }
#endif
