import Foundation
import PureWebP

extension WebP {
  /// Decodes a WebP file, or the first frame of an animation. Reads at most one byte more than `limits.maximumBytes`.
  ///
  /// ```swift
  /// let image = try WebP.decode(contentsOf: url)
  /// ```
  ///
  /// - Throws: `DecodeError` if the file cannot be decoded, `URLError.dataLengthExceedsMaximum` if it exceeds
  ///   `limits.maximumBytes`, `URLError.unsupportedURL` if the URL is not a file URL, or an error of Foundation or
  ///   `POSIXError` if the file cannot be read.
  public static func decode(contentsOf file: URL, options: DecodeOptions = DecodeOptions()) throws -> Image {
    guard file.isFileURL else { throw URLError(.unsupportedURL, "the URL is not a file URL", url: file) }
    return try decode(Data(file: file, maximumBytes: options.limits.maximumBytes), options: options)
  }
}
