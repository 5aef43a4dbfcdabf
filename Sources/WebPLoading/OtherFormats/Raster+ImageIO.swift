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

    /// Decodes the first image of a file with ImageIO, oriented by its metadata, in its own RGB color space.
    ///
    /// - Throws: `URLError` if the image exceeds the limits or is corrupt.
    private static func decode(_ file: Data, _ decoding: WebP.DecodeOptions) throws -> Raster? {
      guard let source = CGImageSourceCreateWithData(file as CFData, nil), CGImageSourceGetType(source) != nil
      else { return nil }
      let corrupt = URLError(.cannotDecodeContentData, "ImageIO cannot decode the image")
      guard let properties = CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any],
        let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      else { throw corrupt }
      try check(width: width, height: height, fileLength: file.count, decoding.limits)
      let isRotated = (properties[kCGImagePropertyOrientation] as? Int ?? 1) > 4
      let size = WebP.Size(
        width: isRotated ? height : width, height: isRotated ? width : height)
      // A crop refers to the image without scaling.
      let density = decoding.crop == nil ? decoding.size?.density(size) ?? 1 : 1
      let side = (density * Double(max(width, height))).rounded(.up)
      // A thumbnail is created also in full size, because ImageIO applies the orientation only to thumbnails.
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: min(max(width, height), max(1, Int(side))),
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary) else { throw corrupt }
      var raster = Raster(
        width: image.width, height: image.height,
        pixels: ContiguousArray(repeating: 0, count: image.width * image.height * 4), fullSize: size)
      // Contexts of 8 bits do not support every color space.
      let own = image.colorSpace.flatMap { $0.model == .rgb ? $0 : nil }
      let spaces = [own, CGColorSpace(name: CGColorSpace.sRGB)].compactMap { $0 }
      guard let space = spaces.first(where: { raster.draw(image, $0) }) else { throw corrupt }
      if space.name != CGColorSpace.sRGB { raster.profile = (space.copyICCData() as Data?).map { [UInt8]($0) } }
      raster.divideByAlpha()
      return raster
    }

    /// Draws an image with premultiplied alpha. Returns false if the system does not support the color space.
    private mutating func draw(_ image: CGImage, _ space: CGColorSpace) -> Bool {
      unsafe pixels.withUnsafeMutableBytes { buffer in
        let context = unsafe CGContext(
          data: buffer.baseAddress, width: image.width, height: image.height, bitsPerComponent: 8,
          bytesPerRow: image.width * 4, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
        context?.draw(image, in: CGRect(x: 0, y: 0, width: image.width, height: image.height))
        return context != nil
      }
    }
  #else
    /// The system's decoder. This system has none.
    static let systemDecoder: Decoder? = nil
  #endif
}
