import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test that runs another program if the program is not installed. `.ci/tests` installs all of them.
  ///
  /// - Parameters:
  ///   - program: the name for people.
  ///   - isInstalled: whether the program is installed. By default, whether it is found in PATH.
  package static func needs(_ program: String, where isInstalled: (@Sendable () -> Bool)? = nil) -> Self {
    // Evaluated only if the test is selected.
    .enabled(if: isInstalled?() ?? isInPath(program), "\(program) was not found")
  }

  package static var needsPillow: Self { .needs("Python's Pillow") { hasPillow } }

  private static func isInPath(_ program: String) -> Bool {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
  }
}

private let hasPillow: Bool = {
  let python = Process()
  python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  python.arguments = ["python3", "-c", "import PIL"]
  python.standardError = FileHandle.nullDevice
  guard (try? python.run()) != nil else { return false }
  python.waitUntilExit()
  return python.terminationStatus == 0
}()
