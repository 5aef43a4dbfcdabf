import SystemPackage

/// The failure of an operation on a file.
package struct Failure: Error, CustomStringConvertible {
  package let path: String
  package let reason: String
  /// The kind of the failure: the name of a case of the library's `ErrorKind`, ``missing`` or ``system``.
  package let kind: String
  /// Indicates whether the next output would fail too, because the disk is full.
  package let endsBatch: Bool

  /// A file or folder that does not exist.
  package static let missing = "missing"
  /// The memory, the disk or the rights of this machine. Another machine, or a later call, may succeed.
  package static let system = "system"

  /// - Parameter kind: the kind, or nil to derive it from the reason.
  package init(_ path: String, _ reason: Any, kind: String? = nil) {
    self.path = path == "-" ? "standard input" : path
    self.reason = "\(reason)"
    self.kind = kind ?? Self.kind(of: reason)
    endsBatch = [.noSpace, .diskQuotaExceeded].contains((reason as? IncompleteFile)?.cause ?? reason as? Errno)
  }

  /// Creates the failure of writing a file.
  ///
  /// - Parameters:
  ///   - path: the path of the file, or `-` for standard output.
  ///   - reason: the error or its description.
  package init(writing path: String, _ reason: Any, kind: String? = nil) {
    self.init(path == "-" ? "standard output" : path, reason, kind: kind)
  }

  private static func kind(of reason: Any) -> String {
    let names: [Errno] = [
      .noSuchFileOrDirectory, .notDirectory, .isDirectory, .fileNameTooLong, .tooManySymbolicLinkLevels, .fileExists,
      .badFileDescriptor,
    ]
    return switch reason {
    case let error as Errno where names.contains(error): missing
    case is MissingFolder: missing
    case is Errno, is IncompleteFile: system
    default: "invalidOptions"
    }
  }

  package var description: String { "webp: \(path): \(reason)" }

  /// The exit code of the command: 75 (EX_TEMPFAIL in sysexits.h) if repeating it may help.
  package var exitCode: Int32 { kind == Self.system ? 75 : 1 }

  package func endProgram() -> Never {
    printError("\(self)")
    exitProcess(exitCode)
  }
}
