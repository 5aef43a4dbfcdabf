import Dispatch
import SystemPackage

/// The input files of this process, which no output may replace.
package enum ProtectedFiles {
  private static let lock = DispatchQueue(label: "protected files")
  // Accessed under the lock.
  nonisolated(unsafe) private static var identities: Set<FileIdentity> = []

  /// Protects a file. A path that leads to nothing is ignored, and so is `-`.
  package static func add(_ path: String) {
    if path != "-", let identity = FileIdentity(path) { lock.sync { _ = unsafe identities.insert(identity) } }
  }

  /// A Boolean value that indicates whether the path leads to an input file, also by another name or a link.
  package static func contain(_ path: String) -> Bool {
    guard let identity = FileIdentity(path) else { return false }
    return lock.sync { unsafe identities.contains(identity) }
  }
}

/// The error of an output that would replace an input file.
struct OutputIsInput: Error, CustomStringConvertible {
  var description: String { "an input file is never replaced" }
}
