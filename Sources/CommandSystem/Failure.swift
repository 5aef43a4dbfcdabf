import SystemPackage

/// The failure of an operation on a file.
package struct Failure: Error, CustomStringConvertible {
  package let path: String
  package let reason: String
  /// Indicates whether the next output would fail too, because the disk is full.
  package let endsBatch: Bool

  package init(_ path: String, _ reason: Any) {
    self.path = path == "-" ? "standard input" : path
    self.reason = "\(reason)"
    endsBatch = [.noSpace, .diskQuotaExceeded].contains(reason as? Errno)
  }

  /// Creates the failure of writing a file.
  ///
  /// - Parameters:
  ///   - path: the path of the file, or `-` for standard output.
  ///   - reason: the error or its description.
  package init(writing path: String, _ reason: Any) {
    self.init(path == "-" ? "standard output" : path, reason)
  }

  package var description: String { "webp: \(path): \(reason)" }

  package func endProgram() -> Never {
    printError("\(self)")
    exitProcess(1)
  }
}
