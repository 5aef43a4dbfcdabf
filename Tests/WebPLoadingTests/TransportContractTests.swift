import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the default transport keeps the contract of `WebP.Transport`.
/// Expected values: the rules of `TransportContract`, with a server on the loopback interface.
@Suite struct TransportContractTests {
  /// FoundationNetworking joins fields with equal names, and ends the process if a head is cut.
  private static let skipped: Set<String> = ["fieldsStaySeparate", "cutHeadsFail"]

  @Test(arguments: TransportContract.rules.map(\.name).filter { !skipped.contains($0) })
  func sessionsKeepTheContract(rule: String) async throws {
    let transport = URLSessionTransport(.patient, keepsURLCache: false)
    let server = URL(string: "http://127.0.0.1:\(TestServer.shared.port)/")!
    try await TransportContract.check(rule, transport, server)
  }
}
