import Foundation
import PureWebP
import WebPExport

/// The pixels of an image that another decoder has decoded: R G B A, not premultiplied, in rows without gaps.
///
/// On Apple's systems, ImageIO decodes images of other formats for the image loader.
struct Raster: Equatable {
  /// Decodes a complete file, or the first frame of an animation. Returns nil if the system cannot decode the file. The
  /// result may be smaller than the image, but not smaller than the size of the options requires.
  typealias Decoder = @Sendable (_ file: Data, _ options: WebP.DecodeOptions) throws -> Raster?

  let width: Int
  let height: Int
  var pixels: ContiguousArray<UInt8>
  /// The size of the image before it was scaled. Nil if it is the size of the raster.
  var fullSize: WebP.Size?
  /// The ICC profile of the colors. Nil for sRGB.
  var profile: [UInt8]?

  /// Checks the size of an image.
  ///
  /// - Throws: `URLError` if the size exceeds the limits.
  static func check(width: Int, height: Int, fileLength: Int, _ limits: WebP.Limits) throws {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    if overflow || pixels > limits.pixels(ofBytes: fileLength) {
      throw URLError(
        .dataLengthExceedsMaximum,
        "image exceeds limits.maximumPixels (\(limits.maximumPixels)) or is too large for its file size "
          + "(limits.maximumPixelsPerByte)")
    }
  }

  /// Converts premultiplied colors to straight colors.
  mutating func divideByAlpha() {
    var pixels = pixels.mutableSpan
    for offset in stride(from: 0, to: pixels.count, by: 4) {
      let alpha = Int(pixels[offset + 3])
      guard alpha != 0, alpha != 255 else { continue }
      for index in offset..<offset + 3 {
        pixels[index] = UInt8(min(255, (Int(pixels[index]) * 255 + alpha / 2) / alpha))
      }
    }
  }

  /// Returns the image with the crop, the size, the direction and the pixel format of the options.
  ///
  /// - Throws: If the options do not fit the image.
  func image(_ options: WebP.DecodeOptions) throws(WebP.DecodeError) -> WebP.Image {
    let image = try WebP.Image(rgba: pixels, width: width, height: height, options: options)
    return options.isUpright ? image.oriented(.up) : image
  }
}
