package import Testing

/// Limits the tests that wait for a server to two at the same time, and runs them before tests
/// that only compute.
///
/// `swift test` starts all tests at the same time, on as many threads as there are processors. A test that waits for
/// a server would continue only after many others have ended, and its requests would time out.
package struct ServerGate: TestTrait, SuiteTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Turnstile.shared.enter()
    do {
      try await withoutActuallyEscaping(function) { function in
        try await withThrowingTaskGroup(of: Void.self) { group in
          // Threads take the tasks of a higher priority first.
          group.addTask(priority: .high) { try await function() }
          try await group.waitForAll()
        }
      }
    } catch {
      await Turnstile.shared.leave()
      throw error
    }
    await Turnstile.shared.leave()
  }
}

extension Trait where Self == ServerGate {
  /// For suites that wait for a server.
  package static var gated: Self { Self() }
}

/// Admits two tests at the same time, in the order of their arrival.
private actor Turnstile {
  static let shared = Turnstile()
  private var free = 2
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty {
      free += 1
    } else {
      waiting.removeFirst().resume()
    }
  }
}
