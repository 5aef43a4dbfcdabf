import Testing

@testable import PureWebP

/// Gives each test a pool of its own, so that tests do not depend on the processors of the machine.
struct HelperPoolTrait: SuiteTrait, TestTrait, TestScoping {
  let maximum: Int
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await HelperPool.$current.withValue(HelperPool(maximum: maximum)) { try await function() }
  }
}

extension Trait where Self == HelperPoolTrait {
  /// As many helpers as a machine with one processor more has.
  static func helpers(_ maximum: Int) -> Self { HelperPoolTrait(maximum: maximum) }
}
