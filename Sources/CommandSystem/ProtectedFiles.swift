import Dispatch
import SystemPackage

/// The input files of this process, which no output may replace.
package enum ProtectedFiles {
  private static let lock = DispatchQueue(label: "protected files")
  // Accessed with the lock held.
  nonisolated(unsafe) private static var identities: Set<FileIdentity> = []

  /// Protects a file. Ignores `-` and paths that do not exist.
  package static func add(_ path: String) {
    if path != "-", let identity = FileIdentity(path) { add(identity) }
  }

  static func add(_ identity: FileIdentity) { lock.sync { _ = unsafe identities.insert(identity) } }

  /// Returns whether the path leads to an input file, even if its name differs or it is a link.
  package static func contain(_ path: String) -> Bool {
    guard let identity = FileIdentity(path) else { return false }
    return lock.sync { unsafe identities.contains(identity) }
  }
}

/// The error of an output that would replace an input file.
struct OutputIsInput: Error, CustomStringConvertible {
  var description: String { "an input file is never replaced" }
}
