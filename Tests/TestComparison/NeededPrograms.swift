import Foundation
package import Testing

/// Skip tests that run programs which are not installed. In CI, nothing is skipped.
extension Trait where Self == ConditionTrait {
  /// - Parameter program: a name that is looked up in PATH.
  package static func needs(_ program: String) -> Self {
    .enabled(if: isCI || isInstalled(program), "\(program) was not found")
  }

  /// Python with Pillow.
  package static var needsPillow: Self {
    .enabled(if: isCI || succeeds(["python3", "-c", "import PIL"]), "Python's Pillow was not found")
  }
}

private let isCI = ProcessInfo.processInfo.environment["CI"] != nil

private func isInstalled(_ program: String) -> Bool {
  (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
    FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
  }
}

private func succeeds(_ command: [String]) -> Bool {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = command
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}
