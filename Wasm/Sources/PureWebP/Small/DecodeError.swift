extension WebP {
  /// In place of DecodeError.swift: what the host is told of an error, and no more. It fits a number, which is neither
  /// counted nor copied from anywhere, as what says more would be wherever something may be thrown.
  public struct DecodeError: Error, Sendable {
    public struct Kind: Equatable, Sendable {
      /// The host's number, and four bits higher the number that libwebp has for such errors.
      fileprivate let code: UInt32

      public static func == (one: Self, other: Self) -> Bool { (one.code ^ other.code) & 15 == 0 }

      static let notWebP = Kind(code: 0x31)
      static let truncated = Kind(code: 0x72)
      static let corrupt = Kind(code: 0x33)
      static let unsupported = Kind(code: 0x44)
      static let limitExceeded = Kind(code: 0x15)
      static let invalidOptions = Kind(code: 0x26)
    }

    /// From the lowest bit on: where in the bytes, 32 bits, −1 if that is not told; where the words are, 24 bits, for the
    /// linker lays them at the beginning of memory; the host's number, and libwebp's, four bits each.
    private let facts: UInt64

    init(_ kind: Kind, _ detail: StaticString, chunk: FourCC? = nil, offset: Int? = nil, status: Int? = nil) {
      var code = kind.code
      if let status { code = code & 15 | UInt32(status) << 4 }
      facts = Self.facts(code, detail.address, offset ?? -1)
    }

    @inline(never)
    private static func facts(_ code: UInt32, _ detail: UInt32, _ offset: Int) -> UInt64 {
      UInt64(code << 24 | detail) << 32 | UInt64(UInt32(truncatingIfNeeded: offset))
    }

    private init(facts: UInt64) { self.facts = facts }

    var kind: Kind { Kind(code: UInt32(facts >> 56)) }
    /// The host's number for the kind.
    var number: Int32 { Int32(facts >> 56 & 15) }
    /// The number that libwebp has for this error.
    var status: Int32 { Int32(facts >> 60) }
    /// Where in the bytes; −1: not told.
    var offset: Int32 { Int32(truncatingIfNeeded: facts) }
    /// The address of what is wrong, in words.
    var detail: UInt32 { UInt32(facts >> 32 & 0xff_ffff) }

    /// The same error of a stream that starts at byte `start` of a file, as that file's.
    @inline(never)
    func inFrame(_ frame: Int?, startingAt start: Int) -> Self {
      offset < 0 ? self : Self(facts: facts + UInt64(start))
    }

    func behind(rows: Int) -> Self { self }

    func withStatus(_ status: Int) -> Self { Self(facts: facts & ~0 >> 4 | UInt64(status) << 60) }
  }
}

/// In place of the standard library's, which are three words: the address of bytes that end with a zero.
struct StaticString: ExpressibleByStringLiteral {
  let address: UInt32

  init(stringLiteral text: Swift.StaticString) {
    address = unsafe UInt32(UInt(bitPattern: text.utf8Start))
  }
}
