extension WebPCompact {
  /// The reason why an image was not decoded, and the position of the problem.
  ///
  /// The error is stored in one number, so that throwing it needs neither reference counts nor copies.
  public struct DecodeError: Error, Sendable {
    /// From the lowest bit: the offset, 32 bits, or 2³² − 1; the `ErrorCause`, 8 bits; libwebp's status, 8 bits.
    private let facts: UInt64

    /// - Parameters:
    ///   - value: not stored.
    ///   - chunk: not stored.
    ///   - status: libwebp's status, if it is not the usual one for errors of this kind.
    init(_ cause: ErrorCause, value: Int = 0, chunk: FourCC? = nil, offset: Int? = nil, status: Int? = nil) {
      facts = Self.facts(cause, offset ?? -1, status ?? cause.kind.usualStatus)
    }

    @inline(__always)
    init(_ cause: ErrorCause, value: Int = 0, chunk: FourCC? = nil, offset: Int) {
      facts = Self.usualFacts(cause, offset)
    }

    @inline(never)
    private static func usualFacts(_ cause: ErrorCause, _ offset: Int) -> UInt64 {
      facts(cause, offset, cause.kind.usualStatus)
    }

    @inline(never)
    private static func facts(_ cause: ErrorCause, _ offset: Int, _ status: Int) -> UInt64 {
      UInt64(status << 8 | Int(cause.rawValue)) << 32 | UInt64(UInt32(truncatingIfNeeded: offset))
    }

    private init(facts: UInt64) { self.facts = facts }

    package var causeNumber: UInt8 { UInt8(truncatingIfNeeded: facts >> 32) }
    private var cause: ErrorCause { ErrorCause(rawValue: causeNumber) ?? .unknownFormat }
    /// The kind of the problem.
    public var kind: Kind { cause.kind }
    /// The problem in English, in lower case and without a full stop.
    public var detail: StaticString { cause.text }
    /// The position of the error, in bytes from the start of the input.
    public var offset: Int? { knownOffset < 0 ? nil : Int(UInt32(truncatingIfNeeded: facts)) }
    /// The offset, or −1.
    var knownOffset: Int32 { Int32(truncatingIfNeeded: facts) }
    /// libwebp's VP8StatusCode for this error.
    package var status: Int32 { Int32(facts >> 40) }

    /// The same error, in a bitstream that begins at `start` of the file.
    @inline(never)
    func with(offset start: Int) -> Self { knownOffset < 0 ? self : Self(facts: facts + UInt64(start)) }

    func with(status: Int) -> Self { Self(facts: facts & 0xFF_FFFF_FFFF | UInt64(status) << 40) }
  }
}

#if !hasFeature(Embedded)
  extension WebPCompact.DecodeError: CustomStringConvertible {
    /// The problem, and its offset.
    public var description: String { "\(detail)\(offset.map { ", at byte \($0)" } ?? "")" }
  }
#endif
