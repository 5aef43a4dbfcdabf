extension WebP {
  /// The reason why an image was not decoded, and where the problem is.
  ///
  /// ``kind`` and ``cause`` are for programs. ``description`` is for people.
  public struct DecodeError: Error, Sendable, CustomStringConvertible {
    /// The kind of the problem.
    public var kind: Kind { facts.cause.kind }
    /// The exact problem.
    public var cause: Cause { Cause(facts.cause) }
    /// The problem in English, in lower case and without a full stop, such as `invalid chunk size`. If a limit is
    /// exceeded, the text has its name and value: `image exceeds limits.maximumPixels (134217728)`.
    public var detail: String { detail { "limits.\($0)" } }
    /// The chunk that has the error. Nil if the error is not in a chunk.
    public var chunk: FourCC? { facts.chunk }
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int? { facts.offset }
    /// The index of the frame that has the error. The frames before it are not affected.
    public var frame: Int? { facts.frame }
    /// The number of finished rows of a still image, from the top. If the image is flipped, from the bottom.
    public var finishedRows: Int { facts.finishedRows }
    /// libwebp's VP8StatusCode for this error.
    package var status: Int { facts.status }

    private struct Facts: Sendable {
      let cause: ErrorCause
      let value: Int
      let chunk: FourCC?
      var offset: Int?
      var frame: Int?
      var finishedRows = 0
      var status: Int
    }

    /// The memory of an error's properties. Functions that throw move only a reference to it.
    private final class Storage: Sendable {
      let facts: Facts

      init(_ facts: Facts) { self.facts = facts }
    }

    private let storage: Storage
    private var facts: Facts { storage.facts }

    /// - Parameters:
    ///   - value: the value in `detail`: a limit, the number of bytes needed, or the raw value of a `FileFormat`.
    ///   - status: libwebp's status, if it is not the usual one for errors of this kind.
    @inline(never)
    init(_ cause: ErrorCause, value: Int = 0, chunk: FourCC? = nil, offset: Int? = nil, status: Int? = nil) {
      self.init(
        Facts(cause: cause, value: value, chunk: chunk, offset: offset, status: status ?? cause.kind.usualStatus))
    }

    private init(_ facts: Facts) { storage = Storage(facts) }

    /// The same error, in a frame whose bitstream begins at offset `start` of the file. Finished rows of a frame are
    /// not reported.
    func with(frame: Int?, offset start: Int = 0) -> Self {
      var facts = facts
      facts.offset = facts.offset.map { start + $0 }
      facts.frame = frame
      facts.finishedRows = 0
      return Self(facts)
    }

    package func with(finishedRows: Int) -> Self {
      var facts = facts
      facts.finishedRows = finishedRows
      return Self(facts)
    }

    func with(status: Int) -> Self {
      var facts = facts
      facts.status = status
      return Self(facts)
    }
  }
}

// MARK: Text

extension WebP.DecodeError {
  /// The limit that is exceeded. Nil if the error is of another kind.
  package var limit: WebP.Limits.Name? { facts.cause.limit?.name }

  /// The format of a file that is not WebP, such as `a PNG image`. Nil for all other errors.
  package var otherFormat: String? { facts.cause == .otherFormat ? FileFormat(rawValue: facts.value)?.title : nil }

  /// The problem, with another name for a limit.
  ///
  /// - Parameter limitName: returns a limit's name for users, such as the name of a command's option.
  package func detail(_ limitName: (WebP.Limits.Name) -> String) -> String {
    if let (subject, limit) = facts.cause.limit { return "\(subject) \(limitName(limit)) (\(facts.value))" }
    switch facts.cause {
    case .otherFormat: return "\(otherFormat ?? "another file format"), not WebP"
    case .animation: return "\(facts.cause.text): use WebP.Animation, WebP.StreamingAnimation or WebP.frames(from:)"
    case .bufferTooSmall: return "\(facts.cause.text) (\(facts.value) bytes needed)"
    default: return "\(facts.cause.text)"
    }
  }

  /// The kind, the problem and its place in one line: `corrupt: invalid chunk size (VP8X at byte 20)`. If a limit is
  /// exceeded, only ``detail``.
  public var description: String { description { "limits.\($0)" } }

  /// The description, with another name for a limit.
  package func description(_ limitName: (WebP.Limits.Name) -> String) -> String {
    var text = kind.title + detail(limitName)
    if limit != nil { return text }
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

extension WebP.DecodeError.Kind {
  /// The beginning of the description. Empty if `detail` has the same information.
  fileprivate var title: String {
    switch self {
    case .notWebP, .limitExceeded: ""
    case .truncated: "truncated: "
    case .corrupt: "corrupt: "
    case .unsupported: "unsupported: "
    case .invalidOptions: "invalid options: "
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
