import PureWebP

extension WebP {
  /// Options for the conversion of WebP to PNG.
  public struct ConversionOptions: Hashable, Sendable {
    /// The compression of the PNG, which trades time for file size.
    public var compression: PNGCompression
    /// The limits that are checked before memory is allocated.
    public var limits: Limits
    /// The number of threads that may work on one conversion. The PNG does not depend on it.
    ///
    /// With one thread, each part of the PNG is available as soon as it is compressed. With more threads, converting a
    /// large image takes less time, but the first part is available later, and each thread needs up to 2 MB more
    /// memory.
    public var threads: Threads

    /// Creates options.
    public init(compression: PNGCompression = .automatic, limits: Limits = Limits(), threads: Threads = .one) {
      self.compression = compression
      self.limits = limits
      self.threads = threads
    }
  }

  /// The reason why a WebP could not be converted to a PNG.
  @nonexhaustive
  public enum ConversionError: Failure, CustomStringConvertible {
    /// The WebP could not be decoded.
    case decoding(DecodeError)
    /// The PNG could not be written.
    case encoding(ExportError)

    /// The kind of the problem.
    public var kind: ErrorKind {
      switch self {
      case .decoding(let error): error.kind
      case .encoding(let error): error.kind
      }
    }

    /// The error in one line, such as `truncated: image data is truncated (VP8 at byte 3210)`.
    public var description: String {
      switch self {
      case .decoding(let error): error.description
      case .encoding(let error): error.description
      }
    }
  }
}
