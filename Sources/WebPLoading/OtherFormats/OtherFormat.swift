import Foundation
import PureWebP

/// An image format other than WebP that an image loader can decode: with ImageIO on Apple's systems, elsewhere PNG only.
///
/// The pixels are stored in an uncompressed WebP file, so that `WebP.decode` applies crop, size, pixel format and
/// limits as it does to all other images.
enum OtherFormat {
  case png
  #if canImport(ImageIO)
    case jpeg, gif
  #endif

  /// Recognizes a format by the first bytes of a file. Nil if there are too few, or for every other format.
  init?(_ bytes: Data) {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
      return
    }
    #if canImport(ImageIO)
      if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
        return
      }
      if bytes.starts(with: Data("GIF8".utf8)) {
        self = .gif
        return
      }
    #endif
    return nil
  }

  /// Decodes a complete file; of an animation, the first frame.
  ///
  /// - Throws: `URLError`, or `WebP.DecodeError` if the options do not fit the image.
  func decode(_ file: Data, options: WebP.DecodeOptions) throws -> WebP.Image {
    #if canImport(ImageIO)
      let raster = try Raster(imageIO: file, limits: options.limits)
    #else
      let raster = try PNGDecoder(file, limits: options.limits).raster()
    #endif
    var options = options
    // The limit applies to the file, not to its uncompressed form.
    options.limits.maximumBytes = .max
    return try WebP.decode(raster.webP(), options: options)
  }
}

/// Straight 8-bit RGBA pixels, rows from top to bottom without padding.
struct Raster: Equatable {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  /// - Throws: `URLError` if the size exceeds the limits or cannot be stored as WebP.
  static func check(width: Int, height: Int, fileLength: Int, _ limits: WebP.Limits) throws {
    guard (1...1 << 14).contains(width), (1...1 << 14).contains(height) else {
      throw URLError(.cannotDecodeContentData, "an image of \(width) × \(height) pixels is not supported (1 to 16384)")
    }
    guard width * height <= limits.pixels(ofBytes: fileLength) else {
      throw URLError(
        .dataLengthExceedsMaximum,
        "image exceeds limits.maximumPixels (\(limits.maximumPixels)) or is too large for its file size "
          + "(limits.maximumPixelsPerByte)")
    }
  }
}
