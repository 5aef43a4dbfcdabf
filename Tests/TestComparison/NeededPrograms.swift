import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test that runs another program if the program is not installed. `.ci/tests` installs all of them.
  ///
  /// - Parameters:
  ///   - program: the name for people.
  ///   - isInstalled: whether the program is installed. By default, whether it is found in PATH.
  package static func needs(_ program: String, where isInstalled: (() -> Bool)? = nil) -> Self {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let isExpected =
      isInstalled?()
      ?? path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    return .enabled(if: isExpected, "\(program) was not found")
  }
}
