import CommandSystem
import SystemPackage

/// A line on the terminal that changes in place. Without a terminal there is none.
enum ProgressLine {
  /// Text that is longer than the terminal's line ends with it: what wraps could not be cleared.
  static func show(_ text: String) {
    guard FileDescriptor.standardError.isTerminal else { return }
    _ = try? FileDescriptor.standardError.writeAll("\r\u{1B}[K\u{1B}[?7l\(text.shown)\u{1B}[?7h".systemBytes)
  }

  static func clear() { show("") }
}
