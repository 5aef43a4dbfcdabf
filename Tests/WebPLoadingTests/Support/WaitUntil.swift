/// Waits until a condition is true, and checks it every five milliseconds.
///
/// - Throws: `Timeout` after 20,000 checks, which take at least 100 seconds. A condition that never becomes true then
///   fails one test, and the other tests still end.
func waitUntil(_ condition: () async throws -> Bool) async throws {
  for _ in 0..<20_000 {
    if try await condition() { return }
    try await Task.sleep(nanoseconds: 5_000_000)
  }
  throw Timeout()
}

struct Timeout: Error {}
