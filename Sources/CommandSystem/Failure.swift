/// What went wrong with a file.
package struct Failure: Error, CustomStringConvertible {
  package let path: String
  package let reason: String

  package init(_ path: String, _ reason: some CustomStringConvertible) {
    self.path = path == "-" ? "standard input" : path
    self.reason = reason.description
  }

  /// - Parameter path: of what could not be written.
  package init(writing path: String, _ reason: some CustomStringConvertible) {
    self.init(path == "-" ? "standard output" : path, reason)
  }

  package var description: String { "webp: \(path): \(reason)" }

  package func endProgram() -> Never {
    printError("\(self)")
    exitProcess(1)
  }
}
