import Dispatch
import SystemPackage

/// A line on standard error that shows the progress and is overwritten repeatedly. It is shown only if standard error
/// is a terminal that can erase a line.
package enum ProgressLine {
  private static let canErase = FileDescriptor.standardError.isTerminal && environment("TERM") != "dumb"
  /// Protects the property that follows, and the order of lines.
  private static let lock = DispatchQueue(label: "progress")
  nonisolated(unsafe) private static var isShown = false

  /// Shows a text. The terminal truncates it at its last column, because a wrapped line could not be cleared.
  package static func show(_ text: String) {
    guard canErase else { return }
    lock.sync {
      unsafe isShown = true
      write("\r\u{1B}[K\u{1B}[?7l\(text.shown)\u{1B}[?7h")
    }
  }

  /// Erases the line. The functions that print lines call this.
  package static func clear() {
    guard canErase else { return }
    lock.sync {
      if unsafe isShown { write("\r\u{1B}[K") }
      unsafe isShown = false
    }
  }

  private static func write(_ text: String) {
    _ = try? FileDescriptor.standardError.writeAll(text.systemBytes)
  }
}
