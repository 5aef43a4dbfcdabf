extension WebP {
  /// The error that is reported to the host, in one number, which needs neither reference counts nor copies where it is
  /// thrown.
  public struct DecodeError: Error, Sendable {
    /// From the lowest bit: the offset in the bytes, 32 bits, or −1; the `ErrorCause`, 8 bits; libwebp's status, 8 bits.
    private let facts: UInt64

    init(_ cause: ErrorCause, value: Int = 0, chunk: FourCC? = nil, offset: Int? = nil, status: Int? = nil) {
      facts = Self.facts(cause, offset ?? -1, status ?? cause.kind.usualStatus)
    }

    @inline(never)
    private static func facts(_ cause: ErrorCause, _ offset: Int, _ status: Int) -> UInt64 {
      UInt64(status << 8 | Int(cause.rawValue)) << 32 | UInt64(UInt32(truncatingIfNeeded: offset))
    }

    private init(facts: UInt64) { self.facts = facts }

    private var cause: ErrorCause { ErrorCause(rawValue: UInt8(truncatingIfNeeded: facts >> 32)) ?? .unknownFormat }
    var kind: ErrorKind { cause.kind }
    /// The host's number for the kind.
    var number: Int32 { Int32(kind.rawValue) + 1 }
    /// libwebp's VP8StatusCode for this error.
    var status: Int32 { Int32(facts >> 40) }
    /// The offset in the bytes, or −1.
    var offset: Int32 { Int32(truncatingIfNeeded: facts) }
    /// The address of the text.
    var detail: UInt32 { cause.text.address }

    /// The same error, in a bitstream that begins at `start` of a file.
    @inline(never)
    func with(frame: Int?, offset start: Int) -> Self {
      offset < 0 ? self : Self(facts: facts + UInt64(start))
    }

    func with(status: Int) -> Self { Self(facts: facts & 0xFF_FFFF_FFFF | UInt64(status) << 40) }
  }
}

/// The address of bytes that end with a zero. The standard library's type has three words.
struct StaticString: ExpressibleByStringLiteral {
  let address: UInt32

  init(stringLiteral text: Swift.StaticString) {
    address = unsafe UInt32(UInt(bitPattern: text.utf8Start))
  }
}
