// Double of ImageIO (CGImageSource.h, CGImageProperties.h), for one format: the text "IMG", width, height, orientation
// as in Exif, and 1 if there is a profile. The red of a pixel is its column in the stored image, green is its row, both
// divided by 4.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import CoreGraphics

public typealias CFDictionary = NSDictionary

public final class CGImageSource {
  let width, height, orientation: Int
  let hasProfile: Bool

  init?(_ file: Data) {
    let fields = String(decoding: file, as: UTF8.self).split(separator: " ").map(String.init)
    guard fields.count == 5, fields[0] == "IMG", let width = Int(fields[1]), let height = Int(fields[2]),
      let orientation = Int(fields[3])
    else { return nil }
    (self.width, self.height, self.orientation, hasProfile) = (width, height, orientation, fields[4] == "1")
  }
}

public var kCGImagePropertyPixelWidth: CFString { "PixelWidth" as NSString }
public var kCGImagePropertyPixelHeight: CFString { "PixelHeight" as NSString }
public var kCGImagePropertyOrientation: CFString { "Orientation" as NSString }
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { "FromImageAlways" as NSString }
public var kCGImageSourceCreateThumbnailWithTransform: CFString { "WithTransform" as NSString }
public var kCGImageSourceThumbnailMaxPixelSize: CFString { "MaxPixelSize" as NSString }

/// The numbers of pixels that were requested, for tests.
public let thumbnailSizes = Setting<[Int]>([])

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource(data as Data)
}

public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { "public.img" as NSString }

/// The size is the one of the stored image.
public func CGImageSourceCopyPropertiesAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? {
  [
    kCGImagePropertyPixelWidth: source.width, kCGImagePropertyPixelHeight: source.height,
    kCGImagePropertyOrientation: source.orientation,
  ] as NSDictionary
}

/// "kCGImageSourceThumbnailMaxPixelSize: The maximum width and height in pixels of a thumbnail." With the transform, it
/// is rotated: here, only the orientations 1 and 6 are known.
public func CGImageSourceCreateThumbnailAtIndex(
  _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard let side = options?[kCGImageSourceThumbnailMaxPixelSize] as? Int else { return nil }
  thumbnailSizes.value.append(side)
  let factor = min(1, Double(side) / Double(max(source.width, source.height)))
  let (width, height) = (
    Int((Double(source.width) * factor).rounded()), Int((Double(source.height) * factor).rounded())
  )
  let isRotated = source.orientation == 6
  var pixels = Data()
  for y in 0..<(isRotated ? width : height) {
    for x in 0..<(isRotated ? height : width) {
      let (column, row) = isRotated ? (y, height - 1 - x) : (x, y)
      pixels += [UInt8(Double(column) / factor / 4), UInt8(Double(row) / factor / 4), 0, 255]
    }
  }
  let space = source.hasProfile ? CGColorSpace(iccData: Data(repeating: 1, count: 128) as CFData) : nil
  guard let space = space ?? CGColorSpace(name: CGColorSpace.sRGB),
    let provider = CGDataProvider(data: pixels as CFData)
  else { return nil }
  return CGImage(
    width: isRotated ? height : width, height: isRotated ? width : height, bitsPerComponent: 8, bitsPerPixel: 32,
    bytesPerRow: 4 * (isRotated ? height : width), space: space,
    bitmapInfo: CGBitmapInfo(rawValue: CGImageAlphaInfo.premultipliedLast.rawValue), provider: provider, decode: nil,
    shouldInterpolate: true, intent: .defaultIntent)
}
