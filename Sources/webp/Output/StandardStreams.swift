import CommandSystem
import SystemPackage

/// Standard output, to which text is written in large parts. A terminal gets each text immediately.
struct BufferedOutput {
  private var text = ""
  private let capacity = FileDescriptor.standardOutput.isTerminal ? 0 : 1 << 16

  /// Appends lines for people.
  mutating func append(lines: [String]) throws(Failure) {
    try append(lines.map { $0.shown + "\n" }.joined())
  }

  /// Appends text for programs, without escaping.
  mutating func append(_ more: String) throws(Failure) {
    text += more
    if text.utf8.count > capacity { try flush() }
  }

  mutating func flush() throws(Failure) {
    guard !text.isEmpty else { return }
    let text = text
    self.text = ""
    do { try printOutput(text) } catch { throw Failure(writing: "-", error) }
  }
}

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
