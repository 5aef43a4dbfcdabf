import Foundation
import PureWebP

/// An image format other than WebP that an image loader can decode. On Apple's systems, ImageIO decodes PNG, JPEG and
/// GIF. On other systems, only PNG is supported.
///
/// The decoded pixels are written to an uncompressed WebP file in memory. `WebP.decode` then applies crop, size, pixel
/// format and limits as for a WebP.
enum OtherFormat {
  case png
  #if canImport(ImageIO)
    case jpeg, gif
  #endif

  /// Recognizes a format by the first bytes of a file. Returns nil if there are too few bytes, or if the format is not
  /// supported.
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

  /// Decodes a complete file, or the first frame of an animation.
  ///
  /// - Throws: `URLError`, or `WebP.DecodeError` if the options do not fit the image.
  func decode(_ file: Data, options: WebP.DecodeOptions) throws -> WebP.Image {
    #if canImport(ImageIO)
      let raster = try Raster(imageIO: file, limits: options.limits)
    #else
      let raster = try PNGDecoder(file, limits: options.limits).raster()
    #endif
    var options = options
    // This limit applies to the given file, not to the uncompressed WebP.
    options.limits.maximumBytes = .max
    return try WebP.decode(raster.webP(), options: options)
  }
}

/// An image with 8-bit RGBA pixels. Alpha is not premultiplied; rows are stored from top to bottom without padding.
struct Raster: Equatable {
  let width: Int
  let height: Int
  var pixels: [UInt8]

  /// Checks the size of an image.
  ///
  /// - Throws: `URLError` if the size exceeds the limits, or if a WebP cannot have this size.
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
