/// The failure of an operation on a file.
package struct Failure: Error, CustomStringConvertible {
  package let path: String
  package let reason: String

  package init(_ path: String, _ reason: Any) {
    self.path = path == "-" ? "standard input" : path
    self.reason = "\(reason)"
  }

  /// - Parameter path: the file that could not be written.
  package init(writing path: String, _ reason: Any) {
    self.init(path == "-" ? "standard output" : path, reason)
  }

  package var description: String { "webp: \(path): \(reason)" }

  package func endProgram() -> Never {
    printError("\(self)")
    exitProcess(1)
  }
}
