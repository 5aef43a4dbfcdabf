// Paths consist of bytes, but the parser of the command line requires Strings. In a String, each byte that is not part
// of valid UTF-8 is represented by a private-use scalar. When the String becomes a path again, the byte is restored:
//
//     63 61 66 E9 2E   ──▶   c a f U+10FFE9 .   ──▶   63 61 66 E9 2E

import SystemPackage

/// The difference between a scalar and the byte that it represents. Only bytes from 0x80 on need a representation:
/// U+10FF80 to U+10FFFF, the end of the last private use plane.
private let firstStandIn: UInt32 = 0x10_FF00

extension Unicode.Scalar {
  /// The byte that the scalar represents, or nil if it represents none.
  var representedByte: UInt8? { value >= firstStandIn + 0x80 ? UInt8(value - firstStandIn) : nil }
}

extension String {
  /// Creates the text of a word of the command line, an environment variable or a path.
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

  /// The scalar whose UTF-8 encoding is `bytes`, or nil if there is none. Scalars that represent bytes are excluded;
  /// their bytes are represented one by one.
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

  /// The text with U+FFFD in place of bytes that are not UTF-8.
  package var withoutStandIns: String { String(decoding: systemBytes, as: UTF8.self) }
}

extension FilePath {
  /// Creates a path from a word of the command line.
  package init(argument: String) { self.init(platformString: argument.cString) }

  /// The path as a word of the command line.
  package var argument: String { unsafe withPlatformString { unsafe String(systemWord: $0) } }

  /// The folder that contains the path's last component, or `.` if the path has only one component.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}

extension String {
  /// The extension of the path's last component, without the dot. Empty if there is no extension.
  package var pathExtension: String {
    FilePath(argument: self).lastComponent?.extension.map { String(decoding: $0.utf8, as: UTF8.self) } ?? ""
  }

  /// Indicates whether the path ends in a slash, which means that it names a folder.
  package var endsInSlash: Bool { utf8.last == UInt8(ascii: "/") }
}
