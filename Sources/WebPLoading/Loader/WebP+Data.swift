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
    try bytes.withSpan(options.limits) { (bytes) throws(DecodeError) in
      var span = pixels.mutableSpan
      return try decode(bytes, into: &span, stride: stride, options: options)
    }
  }
}

extension WebP {
  /// Decodes a WebP file, or the first frame of an animation. Reads at most one byte more than `limits.maximumBytes`.
  ///
  /// ```swift
  /// let image = try WebP.decode(contentsOf: url)
  /// ```
  ///
  /// - Throws: A ``LoadError`` whose description names the file. Its kind is ``ErrorKind/notFound`` if there is no such
  ///   file, ``ErrorKind/network`` if it cannot be read or is not a regular file, ``ErrorKind/invalidOptions`` if the
  ///   URL is not a file URL, and otherwise the kind of the decoder's error.
  public static func decode(
    contentsOf file: URL, options: DecodeOptions = DecodeOptions()
  ) throws(LoadError) -> Image {
    do throws(URLError) {
      guard file.isFileURL else { throw URLError(.unsupportedURL, "the URL is not a file URL") }
      let bytes = try Data(file: file, maximumBytes: options.limits.maximumBytes)
      do throws(DecodeError) { return try decode(bytes, options: options) } catch {
        throw URLError(.decoding(error), url: file)
      }
    } catch {
      // Programs decode many files, so the errors name the file.
      let description = "\(file.lastPathComponent): \(error.localizedDescription)"
      throw LoadError(URLError(error.code, description, url: file, cause: error.cause), url: file)
    }
  }
}

extension Data {
  /// Reads a regular file. Reads at most one byte more than `maximumBytes`, even if the file grows.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the file has more than `maximumBytes`, or
  ///   `URLError.fileDoesNotExist`, with a `POSIXError` as its cause, if it cannot be opened or read, or is not a
  ///   regular file.
  init(file: URL, maximumBytes: Int) throws(URLError) {
    self.init()
    do {
      try RegularFile(file).read(maximumBytes == .max ? .max : maximumBytes + 1, into: &self)
    } catch {
      throw URLError(.fileDoesNotExist, error.localizedDescription, url: file, cause: error)
    }
    if count > maximumBytes { throw URLError.longerThan(maximumBytes) }
  }

  /// Reads files. If a file system blocks, no other work waits.
  private static let files = DispatchQueue(label: "WebPLoading.files", attributes: .concurrent)

  /// Waits for the contents of a regular file.
  ///
  /// - Throws: the errors of `read`, or `CancellationError` as soon as the task is canceled, even if the file system
  ///   blocks.
  init(
    waitingForFile file: URL, maximumBytes: Int, read: @escaping @Sendable (URL, Int) throws -> Data
  ) async throws {
    self = try await Runtime().wait { finish in
      Self.files.async { finish(Result { try read(file, maximumBytes) }) }
    }
  }
}

/// A regular file that is open for reading.
///
/// The methods of `FileHandle` are not used. They would wait for the other end of a pipe, require iOS 13.4, or raise
/// Objective-C exceptions.
final class RegularFile {
  private let descriptor: Int32
  /// The length when the file was opened, in bytes.
  let length: Int

  /// Opens a file. Does not wait, not even for the other end of a pipe, which is not a regular file.
  ///
  /// - Throws: `POSIXError`. Its code is `EISDIR` for a folder, and `EINVAL` for other files that are not regular.
  init(_ file: URL) throws(POSIXError) {
    descriptor = unsafe open(file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 { throw POSIXError.last }
    var status = stat()
    let code: POSIXErrorCode? =
      if unsafe fstat(descriptor, &status) != 0 { .EIO } else {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: .EISDIR
        default: .EINVAL
        }
      }
    length = StatedNumber(status.st_size).value
    if let code { throw POSIXError(code, userInfo: [NSLocalizedDescriptionKey: "\(file.path) is not a regular file"]) }
  }

  deinit { close(descriptor) }

  /// Appends bytes until `data` has `count` bytes or the file ends.
  ///
  /// - Throws: `POSIXError`.
  func read(_ count: Int, into data: inout Data) throws(POSIXError) {
    var piece = [UInt8](repeating: 0, count: min(1 << 16, max(0, count - data.count)))
    while data.count < count {
      let length = unsafe Foundation.read(descriptor, &piece, min(piece.count, count - data.count))
      if length == 0 { return }
      if length < 0 { throw POSIXError.last }
      data.append(contentsOf: piece[..<length])
    }
  }
}
