import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test that runs another program if the program is not installed. In CI, nothing is skipped.
  ///
  /// - Parameters:
  ///   - program: the name for people.
  ///   - isInstalled: whether the program is installed. By default, whether it is found in PATH.
  package static func needs(_ program: String, where isInstalled: (() -> Bool)? = nil) -> Self {
    let environment = ProcessInfo.processInfo.environment
    let isExpected =
      environment["CI"] != nil
      || isInstalled?()
        ?? (environment["PATH"] ?? "").split(separator: ":").contains {
          FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    return .enabled(if: isExpected, "\(program) was not found")
  }
}
