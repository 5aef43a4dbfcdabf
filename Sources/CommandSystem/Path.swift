// Paths are parted byte by byte, as the system does: a combining mark may follow a slash or a dot, and to Unicode the two
// are then one character.

private let slash = UInt8(ascii: "/")

extension String {
  /// What follows the last slash.
  package var lastPathComponent: Substring {
    self[(utf8.lastIndex(of: slash).map(utf8.index(after:)) ?? startIndex)...]
  }

  /// What is before the last component: empty, or with a slash at its end.
  package var folderPrefix: Substring { self[..<lastPathComponent.startIndex] }

  package var beginsWithSlash: Bool { utf8.first == slash }
  package var endsInSlash: Bool { utf8.last == slash }

  /// The path with a slash at its end.
  package var asFolder: String { isEmpty || endsInSlash ? self : self + "/" }

  /// The path without the extension of its last component.
  package var withoutExtension: Substring {
    let name = lastPathComponent
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return self[...] }
    return self[..<dot]
  }

  /// What follows the last dot of the last component; empty if there is none.
  package var pathExtension: Substring {
    let rest = utf8[withoutExtension.endIndex...]
    return Substring(rest.dropFirst())
  }
}
