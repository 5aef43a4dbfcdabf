import CommandSystem
import SystemPackage

/// A line on standard error that shows the progress and is overwritten repeatedly. If standard error is not a terminal,
/// nothing is shown.
enum ProgressLine {
  /// Shows a text. The terminal truncates it at its last column, because a wrapped line could not be cleared.
  static func show(_ text: String) {
    guard FileDescriptor.standardError.isTerminal else { return }
    _ = try? FileDescriptor.standardError.writeAll("\r\u{1B}[K\u{1B}[?7l\(text.shown)\u{1B}[?7h".systemBytes)
  }

  static func clear() { show("") }
}
