// Names of files are bytes, of which the system asks nothing but that none be 0 and that / part folders. Strings are
// Unicode. A byte that is no UTF-8 becomes a scalar that no name has, and goes back to the system as it came:
//
//     63 61 66 E9 2E   ──▶   c a f U+10FFE9 .   ──▶   63 61 66 E9 2E

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stands for the byte 0 if it were one of them: from U+10FF80 on, at the end of the last private plane.
private let firstStandIn: UInt32 = 0x10_FF00

extension Unicode.Scalar {
  /// The byte that the scalar stands for.
  var byteStoodFor: UInt8? { value >= firstStandIn + 0x80 ? UInt8(value - firstStandIn) : nil }
}

extension String {
  /// The text of a word that the system gave.
  package init(systemBytes bytes: [UInt8]) {
    self = String(decoding: bytes, as: UTF8.self)
    let isExact = utf8.elementsEqual(bytes) && !unicodeScalars.contains { $0.byteStoodFor != nil }
    guard !isExact else { return }
    var scalars = UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let scalar = (1...4).lazy.compactMap { Self.scalar(of: rest.prefix($0)) }.first
      scalars.append(scalar ?? Unicode.Scalar(firstStandIn + UInt32(first)) ?? "\u{FFFD}")
      rest = rest.dropFirst(scalar.map { UTF8.width($0) } ?? 1)
    }
    self = String(scalars)
  }

  /// - Parameter word: ends before a 0.
  @unsafe init(systemWord word: UnsafePointer<CChar>) {
    let bytes = unsafe UnsafeBufferPointer(start: word, count: strlen(word))
    self.init(systemBytes: unsafe bytes.map { UInt8(bitPattern: $0) })
  }

  /// The one scalar that the bytes are.
  private static func scalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    guard let scalar = scalars.first, scalars.count == 1, scalar.byteStoodFor == nil,
      String(scalar).utf8.elementsEqual(bytes)
    else { return nil }
    return scalar
  }

  /// What the system is given for it.
  package var systemBytes: ContiguousArray<UInt8> {
    guard unicodeScalars.contains(where: { $0.byteStoodFor != nil }) else { return .init(utf8) }
    var bytes = ContiguousArray<UInt8>()
    for scalar in unicodeScalars {
      if let byte = scalar.byteStoodFor { bytes.append(byte) } else { bytes.append(contentsOf: String(scalar).utf8) }
    }
    return bytes
  }

  /// The same, as C has strings.
  var cString: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// The same for those who take nothing but Unicode.
  package var withoutStandIns: String { String(decoding: systemBytes, as: UTF8.self) }
}
