// Paths are bytes; the command line's parser takes Strings. A byte that is not part of valid UTF-8 becomes a private-use
// scalar in the String, and is restored when the String becomes a path again:
//
//     63 61 66 E9 2E   ──▶   c a f U+10FFE9 .   ──▶   63 61 66 E9 2E

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The scalar that represents byte 0. Only bytes from 0x80 on are represented: U+10FF80 to U+10FFFF, the end of the last
/// private use plane.
private let firstStandIn: UInt32 = 0x10_FF00

extension Unicode.Scalar {
  /// The byte that the scalar represents, if it represents one.
  var representedByte: UInt8? { value >= firstStandIn + 0x80 ? UInt8(value - firstStandIn) : nil }
}

extension String {
  /// The text of a word of the command line, of an environment variable or of a path.
  package init(systemBytes bytes: [UInt8]) {
    self = String(decoding: bytes, as: UTF8.self)
    let isExact = utf8.elementsEqual(bytes) && !unicodeScalars.contains { $0.representedByte != nil }
    guard !isExact else { return }
    var scalars = UnicodeScalarView()
    var rest = bytes[...]
    while let first = rest.first {
      let scalar = (1...4).lazy.compactMap { Self.scalar(encodedAs: rest.prefix($0)) }.first
      scalars.append(scalar ?? Unicode.Scalar(firstStandIn + UInt32(first)) ?? "\u{FFFD}")
      rest = rest.dropFirst(scalar.map { UTF8.width($0) } ?? 1)
    }
    self = String(scalars)
  }

  /// - Parameter word: a null-terminated string.
  @unsafe init(systemWord word: UnsafePointer<CChar>) {
    self.init(systemBytes: unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word))))
  }

  /// The only scalar of `bytes`; nil if they encode anything else.
  private static func scalar(encodedAs bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
    guard let scalar = scalars.first, scalars.count == 1, scalar.representedByte == nil,
      String(scalar).utf8.elementsEqual(bytes)
    else { return nil }
    return scalar
  }

  /// The bytes for the operating system.
  package var systemBytes: ContiguousArray<UInt8> {
    guard unicodeScalars.contains(where: { $0.representedByte != nil }) else { return .init(utf8) }
    var bytes = ContiguousArray<UInt8>()
    for scalar in unicodeScalars {
      if let byte = scalar.representedByte { bytes.append(byte) } else { bytes.append(contentsOf: String(scalar).utf8) }
    }
    return bytes
  }

  /// The bytes as a null-terminated C string.
  var cString: [CChar] { systemBytes.map { CChar(bitPattern: $0) } + [0] }

  /// Valid Unicode, with U+FFFD for bytes that are not UTF-8.
  package var withoutStandIns: String { String(decoding: systemBytes, as: UTF8.self) }
}

extension FilePath {
  /// The path that a word of the command line names.
  package init(argument: String) { self.init(platformString: argument.cString) }

  /// The path as a word of the command line.
  package var argument: String { unsafe withPlatformString { unsafe String(systemWord: $0) } }

  /// The folder that contains the path's last component, `.` if the path has only one.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}

extension String {
  /// The extension of the path's last component, without the dot; empty if it has none.
  package var pathExtension: String {
    FilePath(argument: self).lastComponent?.extension.map { String(decoding: $0.utf8, as: UTF8.self) } ?? ""
  }

  /// A Boolean value that indicates whether the path ends in a slash, and so names a folder.
  package var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }
}
