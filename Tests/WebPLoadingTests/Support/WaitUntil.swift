/// Waits until a condition is true, and checks it after 1, 2, 4 … milliseconds, then every 64.
///
/// - Throws: `Timeout` after 1600 checks, which take at least 100 seconds. A condition that never becomes true then
///   fails one test, and the other tests still end.
func waitUntil(_ condition: () async throws -> Bool) async throws {
  for count in 0..<1600 {
    if try await condition() { return }
    try await Task.sleep(nanoseconds: 1_000_000 << min(count, 6))
  }
  throw Timeout()
}

struct Timeout: Error {}
