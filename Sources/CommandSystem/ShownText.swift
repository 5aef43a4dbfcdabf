// What the programs say to people. Names of files, and words of the command line, may hold what a terminal does not show
// but obeys: colours, a title, a line that nobody wrote. All that is said goes through here, line by line.

/// Lines to standard output, for people. What programs read is written as it is.
package func printOutput(lines: [String]) throws(SystemError) {
  try printOutput(lines.map { $0.shown + "\n" }.joined())
}

/// A line to standard error.
package func printError(_ line: String) {
  // There is nobody to tell that standard error is closed.
  try? FileDescriptor.standardError.write((line.shown + "\n").systemBytes)
}

extension String {
  /// The text with escapes that can be seen, such as `\u{1B}`, in place of what controls the terminal, line ends among it,
  /// and of what turns the direction of the text beside it.
  package var shown: String { unicodeScalars.map(\.shown).joined() }
}

extension Unicode.Scalar {
  fileprivate var shown: String {
    // A byte that is no UTF-8 may be a control to a terminal that knows none.
    let meant = byteStoodFor.map { Self($0) } ?? self
    return meant.controlsTerminal ? meant.escaped(asASCII: true) : String(self)
  }

  /// Whether a terminal does something else than showing it.
  package var controlsTerminal: Bool { properties.generalCategory == .control || properties.isBidiControl }
}
