import Foundation
import PureWebP

#if canImport(ImageIO)
  import CoreGraphics
  import ImageIO
#endif

extension Raster {
  #if canImport(ImageIO)
    /// The system's decoder.
    static let systemDecoder: Decoder? = decode

    /// Decodes the first image of a file with ImageIO, oriented by its metadata and converted to sRGB.
    ///
    /// - Throws: `URLError` if the image exceeds the limits or is corrupt.
    private static func decode(_ file: Data, limits: WebP.Limits) throws -> Raster? {
      guard let source = CGImageSourceCreateWithData(file as CFData, nil), CGImageSourceGetType(source) != nil
      else { return nil }
      let corrupt = URLError(.cannotDecodeContentData, "ImageIO cannot decode the image")
      guard let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
        let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      else { throw corrupt }
      try check(width: width, height: height, fileLength: file.count, limits)
      // A thumbnail of full size is created, because ImageIO applies the orientation only to thumbnails.
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: max(width, height),
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary),
        let space = CGColorSpace(name: CGColorSpace.sRGB)
      else { throw corrupt }
      var raster = Raster(
        width: image.width, height: image.height,
        pixels: ContiguousArray(repeating: 0, count: image.width * image.height * 4))
      let isDrawn = unsafe raster.pixels.withUnsafeMutableBytes { buffer -> Bool in
        let context = unsafe CGContext(
          data: buffer.baseAddress, width: image.width, height: image.height, bitsPerComponent: 8,
          bytesPerRow: image.width * 4, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
        return context != nil
      }
      guard isDrawn else { throw corrupt }
      raster.divideByAlpha()
      return raster
    }
  #else
    /// The system's decoder. This system has none.
    static let systemDecoder: Decoder? = nil
  #endif
}
