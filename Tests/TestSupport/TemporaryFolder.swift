import Foundation

/// Places for the files of tests, all in one folder that is named after the process: what those leave that are killed is
/// removed by the next one.
package enum TemporaryFolder {
  private static let prefix = "PureWebP-tests-"
  private static let all = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()

  private static let own: URL = {
    removeLeftovers()
    let folder = Self.folder(of: ProcessInfo.processInfo.processIdentifier)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }()

  /// A place for a file or a folder, where nothing is yet.
  package static func place() -> URL { own.appendingPathComponent(UUID().uuidString) }

  /// Where a process has its places.
  package static func folder(of process: Int32) -> URL { all.appendingPathComponent("\(prefix)\(process)") }

  /// Removes the folders of processes that are no more.
  package static func removeLeftovers() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: all.path)) ?? [] where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), kill(process, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(at: folder(of: process))
    }
  }
}
