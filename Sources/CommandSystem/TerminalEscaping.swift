// File names and words of the command line may contain control characters. In a terminal, these could change colors or
// the title, or forge lines of output. Therefore all text for people is escaped here, line by line.

import SystemPackage

/// Writes lines for people to standard output. Output for programs is written without escaping.
package func printOutput(lines: [String]) throws {
  try printOutput(lines.map { $0.shown + "\n" }.joined())
}

/// Writes a line to standard error.
package func printError(_ line: String) {
  ProgressLine.clear()
  // If standard error cannot be written, there is no stream to report that to.
  _ = try? FileDescriptor.standardError.writeAll((line.shown + "\n").systemBytes)
}

extension String {
  /// The text with visible escapes such as `\u{1B}` in place of control characters, including line ends, and in place
  /// of characters that change the direction of text.
  package var shown: String {
    // The properties of a character take long to look up.
    unicodeScalars.contains(where: \.isEscaped) ? unicodeScalars.map(\.shown).joined() : self
  }
}

extension Unicode.Scalar {
  fileprivate var isEscaped: Bool { representedByte != nil || controlsTerminal }

  fileprivate var shown: String {
    // For a terminal that does not use UTF-8, a byte that is not UTF-8 may be a control character.
    let scalar = representedByte.map { Self($0) } ?? self
    return scalar.controlsTerminal ? scalar.escaped(asASCII: true) : String(self)
  }

  /// Indicates whether a terminal interprets the scalar instead of showing it.
  package var controlsTerminal: Bool {
    if value < 0x7F { return value < 0x20 }
    return properties.generalCategory == .control || properties.isBidiControl
  }
}
