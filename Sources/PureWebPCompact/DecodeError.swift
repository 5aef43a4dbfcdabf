internal import WebPFormat

extension WebPCompact {
  /// The reason why an image was not decoded, and the position of the problem.
  public struct DecodeError: Error, Sendable {
    private let plain: FormatError

    init(_ plain: FormatError) { self.plain = plain }

    /// The kind of the problem.
    public var kind: ErrorKind { ErrorKind(rawValue: plain.kind.rawValue) ?? .corrupt }
    /// The problem in English, in lower case and without a full stop.
    public var detail: StaticString { plain.cause.text }
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int? { plain.offset }
    /// libwebp's VP8StatusCode for this error.
    package var status: Int { plain.status }

    /// The result of a call of a function that throws a `FormatError`, or that error as a `DecodeError`.
    @inline(__always)
    static func converting<Result>(_ call: @autoclosure () throws(FormatError) -> Result) throws(Self) -> Result {
      do { return try call() } catch { throw Self(error) }
    }
  }
}

extension WebPCompact {
  /// The kind of a problem, which determines how a program can react.
  @nonexhaustive
  public enum ErrorKind: UInt8, Hashable, Sendable {
    /// The bytes are neither a WebP file nor a bare VP8 or VP8L bitstream.
    case notWebP
    /// The bytes end before the image does.
    case truncated
    /// The bytes violate the format.
    case corrupt
    /// The bytes may be valid, but the called function does not support what they contain.
    case unsupported
    /// The image exceeds the limits.
    case limitExceeded
    /// The requested frame does not exist.
    case invalidOptions
  }
}

#if !hasFeature(Embedded)
  extension WebPCompact.DecodeError: CustomStringConvertible {
    /// The problem, and its offset.
    public var description: String { "\(detail)\(offset.map { ", at byte \($0)" } ?? "")" }
  }
#endif
