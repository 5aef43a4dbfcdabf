import CommandSystem

/// A line on the terminal that changes in place. Without a terminal there is none.
enum ProgressLine {
  static func show(_ text: String) {
    if FileDescriptor.standardError.isTerminal { printError("\r\u{1B}[K\(text)") }
  }

  static func clear() { show("") }
}
