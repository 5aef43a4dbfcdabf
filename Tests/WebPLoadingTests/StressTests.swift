import Foundation
import TestComparison
import Testing

/// Proves that canceled loads neither stop a loader nor end the process, which LoadingStress does in its own process.
/// Expected values: the number of loads, and a load after them that succeeds.
@Suite(.gated, .needs("python3")) struct StressTests {
  private let base = "http://127.0.0.1:\(TestServer.shared.port)"

  @Test func canceledLoadsDoNotStopLoaders() async throws {
    let file = Fixtures.folders[1].appendingPathComponent(Fixtures.photo).path
    try await expectLoads("512", ["cancel", base, "512", file])
  }

  @Test func canceledRedirectsDoNotEndTheProcess() async throws {
    try await expectLoads("500", ["redirect", base, "500"])
  }

  @Test func registrationsDoNotBlockLoads() async throws {
    try await expectLoads("200", ["register", base, "200"])
  }

  private func expectLoads(_ count: String, _ arguments: [String]) async throws {
    let result = try await Programs.run("LoadingStress", arguments)
    let text = result.text
    #expect(
      result.status == 0 && text.hasSuffix("\n\(count) loads\n") || text == "\(count) loads\n",
      "\(text)\(result.errors)")
  }
}
