import Foundation

/// Paths for the files of tests, in one folder that is named after the process. The process removes it when it exits,
/// and the next process removes the folders of processes that were killed.
package enum TemporaryFolder {
  private static let prefix = "PureWebP-tests-"
  private static let all = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()

  private static let own: URL = {
    removeLeftovers()
    let folder = Self.folder(of: ProcessInfo.processInfo.processIdentifier)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: TemporaryFolder.folder(of: getpid())) }
    return folder
  }()

  /// Returns a path at which no file exists.
  package static func place() -> URL { own.appendingPathComponent(UUID().uuidString) }

  /// Creates an empty folder.
  package static func make() throws -> URL {
    let folder = place()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Returns the folder of a process.
  package static func folder(of process: Int32) -> URL { all.appendingPathComponent("\(prefix)\(process)") }

  /// Removes the folders of processes that have ended.
  package static func removeLeftovers() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: all.path)) ?? [] where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(at: folder(of: process))
    }
  }
}
