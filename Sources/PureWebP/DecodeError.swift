internal import WebPFormat

extension WebP {
  /// The reason why an image was not decoded, and where the problem is.
  ///
  /// ``kind`` and ``cause`` are for programs. ``description`` is for people.
  public struct DecodeError: Failure, CustomStringConvertible, Hashable, Sendable {
    /// The kind of the problem.
    public var kind: ErrorKind { ErrorKind(plain.kind) }
    /// The exact problem.
    public var cause: Cause { Cause(plain.cause) }
    /// The problem in English, in lower case and without a full stop, such as `invalid chunk size`. If a limit is
    /// exceeded, the text has its name and value: `image exceeds limits.maximumPixels (134217728)`.
    public var detail: String { detail(limitName: limit.map { "limits.\($0)" } ?? "") }
    /// The chunk that has the error. Nil if the error is not in a chunk.
    public var chunk: FourCC? { plain.chunk.map { FourCC($0) } }
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int? { plain.offset }
    /// The index of the frame that has the error. The frames before it are not affected.
    public var frame: Int? { plain.frame }
    /// The number of finished rows of a still image, from the top. If the image is flipped, from the bottom.
    public var finishedRows: Int { plain.finishedRows }
    /// libwebp's VP8StatusCode for this error.
    package var status: Int { plain.status }

    let plain: FormatError

    init(_ plain: FormatError) { self.plain = plain }

    init(
      _ cause: ErrorCause, value: Int = 0, chunk: FormatFourCC = .none, offset: Int = -1, status: Int = 0
    ) {
      plain = FormatError(cause, value: value, chunk: chunk, offset: offset, status: status)
    }

    func with(frame: Int?, offset start: Int = 0) -> Self { Self(plain.with(frame: frame, offset: start)) }
    package func with(finishedRows: Int) -> Self { Self(plain.with(finishedRows: finishedRows)) }

    /// The result of a call of `WebPFormat`, or its error as a `DecodeError`.
    @inline(__always)
    static func converting<Result>(_ call: @autoclosure () throws(FormatError) -> Result) throws(Self) -> Result {
      do { return try call() } catch { throw Self(error) }
    }
  }
}

extension WebP {
  /// An error of one of the modules.
  ///
  /// ``kind`` is for programs, and ``description`` is for people.
  public protocol Failure: Error {
    /// The kind of the problem.
    var kind: ErrorKind { get }
    /// The problem, in English.
    var description: String { get }
  }

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
    /// The options are not valid for the image, the caller's memory is too small, or the requested frame does not
    /// exist.
    case invalidOptions
    /// The result could not be written.
    case output
    /// The task was cancelled.
    case cancelled
    /// The bytes could not be loaded, for another reason than the two following ones. For example, the server permits
    /// no access, or answers without an image.
    case network
    /// The server or the file system has no such file.
    case notFound
    /// The server or the connection fails at the moment. The same load may succeed later.
    case unavailable

    init(_ kind: WebPFormat.ErrorKind) { self = Self(rawValue: kind.rawValue) ?? .corrupt }
  }
}

#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP.ErrorKind {
    /// The kind of any error: of a ``WebP/Failure``, or of a `CancellationError`. Nil for errors of other modules.
    public init?(_ error: any Error) {
      switch error {
      case let failure as any WebP.Failure: self = failure.kind
      case is CancellationError: self = .cancelled
      default: return nil
      }
    }
  }
#endif

// MARK: Text

extension WebP.DecodeError {
  /// The limit that is exceeded. Nil if the error is of another kind.
  package var limit: WebP.Limits.Name? { plain.cause.limit?.name }

  /// The format of a file that is not WebP, such as `a PNG image`. Nil for all other errors.
  package var otherFormat: String? { plain.cause == .otherFormat ? OtherFormat(rawValue: plain.value)?.title : nil }

  /// The problem, with another name for a limit.
  ///
  /// - Parameter limitName: the name of `limit` for users, such as the name of a command's option.
  package func detail(limitName: String) -> String {
    if let (subject, _) = plain.cause.limit { return "\(subject) \(limitName) (\(plain.value))" }
    switch plain.cause {
    case .otherFormat: return "\(otherFormat ?? "another file format"), not WebP"
    case .animation: return "\(plain.cause.text): use WebP.Animation, WebP.StreamingAnimation or WebP.updates(from:)"
    case .bufferTooSmall: return "\(plain.cause.text) (\(plain.value) bytes needed)"
    default: return "\(plain.cause.text)"
    }
  }

  /// The kind, the problem and its place in one line: `corrupt: invalid chunk size (VP8X at byte 20)`. If a limit is
  /// exceeded, only ``detail``.
  public var description: String {
    if limit != nil { return detail }
    var text = kind.title + detail
    var position = chunk?.description ?? ""
    while position.last == " " { position.removeLast() }  // the FourCCs of VP8 and XMP end with a space
    if let offset { position += (position.isEmpty ? "" : " ") + "at byte \(offset)" }
    if let frame { position = "frame \(frame)" + (position.isEmpty ? "" : ", ") + position }
    if !position.isEmpty { text += " (\(position))" }
    return text
  }
}

extension WebP.Limits {
  /// The limits that an error can name.
  package enum Name: String, CaseIterable, Sendable {
    case maximumPixels, maximumPixelsPerByte, maximumBytes, maximumFrames, maximumAnimationPixels
  }
}

extension WebP.ErrorKind {
  /// The beginning of the description. Empty if `detail` has the same information.
  fileprivate var title: String {
    switch self {
    case .notWebP, .limitExceeded: ""
    case .truncated: "truncated: "
    case .corrupt: "corrupt: "
    case .unsupported: "unsupported: "
    case .invalidOptions: "invalid options: "
    case .output, .cancelled, .network, .notFound, .unavailable: ""  // not of decoding
    }
  }
}

extension ErrorCause {
  /// The exceeded limit, and the words that precede its name in `detail`.
  fileprivate var limit: (subject: StaticString, name: WebP.Limits.Name)? {
    switch self {
    case .imageTooLarge: ("image exceeds", .maximumPixels)
    case .imageTooLargeForFile: ("image exceeds", .maximumPixelsPerByte)
    case .outputTooLarge: ("output exceeds", .maximumPixels)
    case .outputTooLargeForFile: ("output exceeds", .maximumPixelsPerByte)
    case .scalingTooLarge: ("scaling exceeds", .maximumPixels)
    case .fileTooLarge: ("file exceeds", .maximumBytes)
    case .tooManyFrames: ("animation exceeds", .maximumFrames)
    case .animationTooLarge: ("animation exceeds", .maximumAnimationPixels)
    case .animationTooLargeForFile: ("animation exceeds", .maximumPixelsPerByte)
    case .conversionTooLarge: ("canvas conversion exceeds", .maximumAnimationPixels)
    case .conversionTooLargeForFile: ("canvas conversion exceeds", .maximumPixelsPerByte)
    case .framesTooLarge: ("all frames together exceed", .maximumPixels)
    default: nil
    }
  }
}
