// File names and words of the command line may contain control characters, which a terminal obeys: colors, its title, lines
// that the program did not write. All text for people is escaped here, line by line.

import SystemPackage

/// Writes lines for people to standard output. Output for programs is written without escaping.
package func printOutput(lines: [String]) throws {
  try printOutput(lines.map { $0.shown + "\n" }.joined())
}

/// Writes a line to standard error.
package func printError(_ line: String) {
  // An error of standard error cannot be reported anywhere.
  _ = try? FileDescriptor.standardError.writeAll((line.shown + "\n").systemBytes)
}

extension String {
  /// The text with visible escapes such as `\u{1B}` in place of characters that control the terminal, line ends included,
  /// and of characters that change the direction of the text next to them.
  package var shown: String { unicodeScalars.map(\.shown).joined() }
}

extension Unicode.Scalar {
  fileprivate var shown: String {
    // A byte that is not UTF-8 may be a control character to a terminal that does not use UTF-8.
    let scalar = representedByte.map { Self($0) } ?? self
    return scalar.controlsTerminal ? scalar.escaped(asASCII: true) : String(self)
  }

  /// A Boolean value that indicates whether a terminal obeys the scalar instead of showing it.
  package var controlsTerminal: Bool { properties.generalCategory == .control || properties.isBidiControl }
}
