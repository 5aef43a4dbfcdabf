extension String {
  /// What follows the last slash.
  package var lastPathComponent: Substring { self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...] }

  /// The path without the extension of its last component.
  package var withoutExtension: Substring {
    let name = lastPathComponent
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return self[...] }
    return self[..<dot]
  }

  /// What follows the last dot of the last component; empty if there is none.
  package var pathExtension: Substring {
    let rest = self[withoutExtension.endIndex...]
    return rest.isEmpty ? rest : rest.dropFirst()
  }
}
