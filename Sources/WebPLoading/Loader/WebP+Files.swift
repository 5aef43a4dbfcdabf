import Foundation
import PureWebP

extension WebP {
  /// Decodes a WebP file; of an animation, the first frame. At most one byte more than `limits.maximumBytes` is read.
  ///
  /// ```swift
  /// let image = try WebP.decode(contentsOf: url)
  /// ```
  ///
  /// - Throws: `DecodeError` if the file cannot be decoded, `URLError.dataLengthExceedsMaximum` if it exceeds
  ///   `limits.maximumBytes`, `URLError.unsupportedURL` if the URL is no file URL, or an error of Foundation if it cannot be
  ///   read.
  public static func decode(contentsOf file: URL, options: DecodeOptions = DecodeOptions()) throws -> Image {
    guard file.isFileURL else { throw URLError(.unsupportedURL, "the URL is not a file URL", url: file) }
    return try decode(Data(file: file, maximumBytes: options.limits.maximumBytes), options: options)
  }
}
