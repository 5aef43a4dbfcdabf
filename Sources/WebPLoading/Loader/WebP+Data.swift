import Foundation
import PureWebP

extension WebP {
  /// Decodes into the storage of `Data`, without a copy of the pixels.
  ///
  /// - Parameters:
  ///   - bytes: A complete file, or a bare VP8 or VP8L bitstream.
  ///   - pixels: At least `options.layout(for:stride:).byteCount` bytes. Bytes between the rows do not change. After an
  ///     error, the finished rows are available (`DecodeError.finishedRows`).
  ///   - stride: The distance between rows in bytes; nil: rows without gaps.
  ///   - options: The decoding options.
  /// - Returns: The positions of the planes and rows in `pixels`.
  /// - Throws: If the bytes are corrupt, a limit is exceeded, or `pixels` is too small.
  @discardableResult
  public static func decode(
    _ bytes: some Collection<UInt8>, into pixels: inout Data, stride: Int? = nil,
    options: DecodeOptions = DecodeOptions()
  ) throws(DecodeError) -> Layout {
    var span = pixels.mutableSpan
    return try decode(bytes, into: &span, stride: stride, options: options)
  }
}

extension WebP {
  /// Decodes a WebP file, or the first frame of an animation. Reads at most one byte more than `limits.maximumBytes`.
  ///
  /// ```swift
  /// let image = try WebP.decode(contentsOf: url)
  /// ```
  ///
  /// - Throws: `URLError.cannotDecodeContentData` if the file cannot be decoded; its description names the file, and
  ///   its underlying error is the `DecodeError`. `URLError.dataLengthExceedsMaximum` if the file exceeds
  ///   `limits.maximumBytes`, `URLError.unsupportedURL` if the URL is not a file URL, or an error of Foundation or
  ///   `POSIXError` if the file cannot be read.
  public static func decode(contentsOf file: URL, options: DecodeOptions = DecodeOptions()) throws -> Image {
    guard file.isFileURL else { throw URLError(.unsupportedURL, "the URL is not a file URL", url: file) }
    // Programs decode many files, so the errors name the file.
    func failure(_ code: URLError.Code, _ reason: String, _ error: any Error) -> URLError {
      URLError(code, "\(file.lastPathComponent): \(reason)", url: file, cause: error)
    }
    do {
      return try decode(Data(file: file, maximumBytes: options.limits.maximumBytes), options: options)
    } catch let error as DecodeError {
      throw failure(.cannotDecodeContentData, "\(error)", error)
    } catch let error as URLError {
      throw failure(error.code, error.localizedDescription, error)
    }
  }
}

extension Data {
  /// Reads a file. Reads at most one byte more than `maximumBytes`, even if the file grows or is not a regular file.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the file has more than `maximumBytes`, an error of Foundation if
  ///   it cannot be opened, or `POSIXError` if it cannot be read.
  init(file: URL, maximumBytes: Int) throws {
    self.init()
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    try handle.read(maximumBytes == .max ? .max : maximumBytes + 1, into: &self)
    if count > maximumBytes { throw URLError.longerThan(maximumBytes) }
  }
}

extension FileHandle {
  /// Appends bytes until `data` has `count` bytes or the file ends. The methods of `FileHandle` are not used, because
  /// they require iOS 13.4 or raise Objective-C exceptions.
  ///
  /// - Throws: `POSIXError`.
  func read(_ count: Int, into data: inout Data) throws {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while data.count < count {
      let length = unsafe Foundation.read(fileDescriptor, &piece, min(piece.count, count - data.count))
      if length == 0 { return }
      guard length > 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      data.append(contentsOf: piece[..<length])
    }
  }
}
