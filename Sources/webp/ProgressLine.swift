import CommandSystem

/// A line on the terminal that changes in place. Without a terminal there is none.
enum ProgressLine {
  /// Text that is longer than the terminal's line ends with it: what wraps could not be cleared.
  static func show(_ text: String) {
    if FileDescriptor.standardError.isTerminal { printError("\r\u{1B}[K\u{1B}[?7l\(text)\u{1B}[?7h") }
  }

  static func clear() { show("") }
}
