import Dispatch
import SystemPackage

/// A line on standard error that shows the progress and is overwritten repeatedly. It is shown only if standard error
/// is a terminal that can erase a line.
package enum ProgressLine {
  private static let canErase = FileDescriptor.standardError.isTerminal && environment("TERM") != "dumb"
  /// Protects the property that follows, and the order of lines. Held forever after a signal has ended the line.
  private static let lock = DispatchSemaphore(value: 1)
  nonisolated(unsafe) private static var isShown = false

  /// Shows a text. The terminal truncates it at its last column, because a wrapped line could not be cleared.
  package static func show(_ text: String) {
    guard canErase else { return }
    lock.wait()
    defer { lock.signal() }
    unsafe isShown = true
    write("\r\u{1B}[K\u{1B}[?7l\(text.shown)\u{1B}[?7h")
  }

  /// Erases the line. The functions that print lines call this.
  package static func clear() {
    guard canErase else { return }
    lock.wait()
    defer { lock.signal() }
    if unsafe isShown { write("\r\u{1B}[K") }
    unsafe isShown = false
  }

  /// Erases the line for a signal that ends the process. If the terminal is stopped, this is omitted.
  static func end() {
    guard canErase, lock.wait(timeout: .now() + .milliseconds(200)) == .success, unsafe isShown else { return }
    if FileDescriptor.standardError.canWrite { write("\r\u{1B}[K") }
  }

  private static func write(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll(text.systemBytes)
  }
}
