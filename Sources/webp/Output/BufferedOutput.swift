import CommandSystem
import SystemPackage

/// Standard output, to which text is written in large parts. A terminal gets each text immediately.
struct BufferedOutput {
  private var text = ""
  private let capacity = FileDescriptor.standardOutput.isTerminal ? 0 : 1 << 16

  /// Appends lines for people.
  mutating func append(lines: [String]) throws(Failure) {
    for line in lines { text += line.shown + "\n" }
    if text.utf8.count > capacity { try flush() }
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
