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

/// The objects that --json or --json-lines prints. Each is written immediately.
struct JSONOutput {
  /// Indicates whether the objects are elements of an array, which is closed even if a signal ends the process.
  let isArray: Bool
  private var isEmpty = true
  private var hasFailed = false

  init(isArray: Bool) { self.isArray = isArray }

  mutating func append(_ object: String) throws(Failure) {
    let text = isArray ? "\(isEmpty ? "[" : ",")\n  \(object)" : object + "\n"
    isEmpty = false
    do { try UnfinishedOutput.write(text, end: isArray ? "\n]\n" : nil) } catch {
      hasFailed = true
      throw Failure(writing: "-", error)
    }
  }

  func finish() throws(Failure) {
    guard isArray && !hasFailed else { return }
    do { try UnfinishedOutput.write(isEmpty ? "[]\n" : "\n]\n", end: nil) } catch { throw Failure(writing: "-", error) }
  }
}
