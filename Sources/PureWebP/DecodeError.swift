extension WebP {
  /// Why a picture could not be decoded, and where in the bytes that showed.
  public struct DecodeError: Error, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable {
      /// The bytes are neither a WebP file nor a bare VP8 or VP8L stream.
      case notWebP
      /// The bytes end before the picture does.
      case truncated
      /// The bytes break a rule of the format.
      case corrupt
      /// The bytes may be right, but ask for something that this call does not do.
      case unsupported
      /// The picture is larger than `DecodeOptions.limits` allow.
      case limitExceeded
      /// The options, or the caller's memory, do not fit the picture.
      case invalidOptions
    }

    public var kind: Kind { facts.kind }
    /// What is wrong, in English, without a full stop.
    public var detail: StaticString { facts.detail }
    /// The chunk that the error was found in, if it was found in one.
    public var chunk: FourCC? { facts.chunk }
    /// Where in the bytes the error was found, counted from their start.
    public var offset: Int? { facts.offset }
    /// Which frame of an animation the error is in, counted from 0. Those before it are not touched by the error.
    public var frame: Int? { facts.frame }
    /// How many rows of a still picture were finished, from the top; where it is flipped, from the bottom.
    public var rowsFinished: Int { facts.rowsFinished }
    /// The number that libwebp's VP8StatusCode has for this error.
    package var status: Int { facts.status }

    /// What is known about an error. It is kept elsewhere, for else all code that may throw would have to move it about.
    private final class Facts: Sendable {
      let kind: Kind
      let detail: StaticString
      let chunk: FourCC?
      let offset: Int?
      let frame: Int?
      let rowsFinished: Int
      let status: Int

      init(
        _ kind: Kind, _ detail: StaticString, _ chunk: FourCC?, _ offset: Int?, _ frame: Int?, _ rowsFinished: Int,
        _ status: Int
      ) {
        self.kind = kind
        self.detail = detail
        self.chunk = chunk
        self.offset = offset
        self.frame = frame
        self.rowsFinished = rowsFinished
        self.status = status
      }
    }

    private let facts: Facts

    @inline(never)
    init(
      _ kind: Kind, _ detail: StaticString, chunk: FourCC? = nil, offset: Int? = nil, status: Int? = nil
    ) {
      facts = Facts(kind, detail, chunk, offset, nil, 0, status ?? kind.usualStatus)
    }

    private init(_ error: Self, offset: Int?, frame: Int?, rowsFinished: Int) {
      facts = Facts(error.kind, error.detail, error.chunk, offset, frame, rowsFinished, error.status)
    }

    /// The same error of a stream that starts at byte `start` of a file, as that file's. Nobody sees the frame's rows.
    func inFrame(_ frame: Int?, startingAt start: Int) -> Self {
      Self(self, offset: offset.map { start + $0 }, frame: frame, rowsFinished: 0)
    }

    /// The same error behind so many rows.
    package func behind(rows: Int) -> Self { Self(self, offset: offset, frame: frame, rowsFinished: rows) }

    /// One line, such as `corrupt: bad signature (VP8L at byte 20)` or `… (frame 3, VP8L at byte 20)`.
    public var description: String {
      var text = "\(kind.title): \(detail)"
      var place = chunk?.description ?? ""
      while place.last == " " { place.removeLast() }  // of VP8 and XMP
      if let offset { place += (place.isEmpty ? "" : " ") + "at byte \(offset)" }
      if let frame { place = "frame \(frame)" + (place.isEmpty ? "" : ", ") + place }
      if !place.isEmpty { text += " (\(place))" }
      return text
    }
  }
}

extension WebP.DecodeError.Kind {
  fileprivate var usualStatus: Int {
    switch self {
    case .notWebP, .corrupt: 3  // BITSTREAM_ERROR
    case .truncated: 7  // NOT_ENOUGH_DATA
    case .unsupported: 4  // UNSUPPORTED_FEATURE
    case .limitExceeded: 1  // OUT_OF_MEMORY
    case .invalidOptions: 2  // INVALID_PARAM
    }
  }

  fileprivate var title: String {
    switch self {
    case .notWebP: "not WebP"
    case .truncated: "truncated"
    case .corrupt: "corrupt"
    case .unsupported: "unsupported"
    case .limitExceeded: "limit exceeded"
    case .invalidOptions: "invalid options"
    }
  }
}
