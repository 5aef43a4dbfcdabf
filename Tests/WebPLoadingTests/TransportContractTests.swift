import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that the default transport, the scripted one, and decorators keep the contract of `WebP.Transport`.
/// Expected values: the rules of `TransportContract`, with a server on the loopback interface or in memory.
@Suite(.gated) struct TransportContractTests {
  /// FoundationNetworking joins fields with equal names, and ends the process if a head is cut or a body has a trailer.
  private static let skipped: Set<String> = ["fieldsStaySeparate", "cutHeadsFail", "trailersAreSkipped"]

  @Test(
    .needs("python3"), arguments: TransportContract.rules.map(\.name).filter { !skipped.contains($0) }, [false, true])
  func sessionsKeepTheContract(rule: String, isDecorated: Bool) async throws {
    let session = WebP.URLSessionTransport(.patient)
    let transport: any WebP.Transport = isDecorated ? DecoratedTransport(session) : session
    let server = URL(string: "http://127.0.0.1:\(TestServer.shared.port)/")!
    try await TransportContract.check(rule, transport, server)
  }

  @Test(arguments: TransportContract.rules.map(\.name), [false, true])
  func scriptsKeepTheContract(rule: String, isDecorated: Bool) async throws {
    let server = ContractServer()
    let script = ScriptedTransport { server.steps(for: $0) }
    let transport: any WebP.Transport = isDecorated ? DecoratedTransport(script) : script
    try await TransportContract.check(rule, transport, URL(string: "http://a/")!)
  }
}

/// Answers the requests of `TransportContract` in memory, as Server/server.py does.
private final class ContractServer: @unchecked Sendable {
  private struct Entry: Encodable {
    let method: String
    let headers: [String: String]
    let body: String
    var aborted = false
  }

  private let lock = NSLock()
  /// The requests by their IDs. Each gate is released with the body that waits for it.
  private var log: [String: [(entry: Entry, holds: Bool, gate: () -> Gate?)]] = [:]

  func steps(for request: URLRequest) -> [Step] {
    guard let url = request.url, url.host == "a" else { return [.fail(URLError(.cannotConnectToHost))] }
    let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    let query = [String: String](items.map { ($0.name, $0.value ?? "") }) { $1 }
    let id = query["id"] ?? ""
    if url.path == "/_log" { return [.head(200), .piece(logged(id))] }
    let gate = Gate()
    let entry = Entry(
      method: request.httpMethod ?? "GET",
      headers: [String: String](request.allHTTPHeaderFields?.map { ($0.key.lowercased(), $0.value) } ?? []) { $1 },
      body: (request.httpBody ?? Data()).map { String(format: "%02x", $0) }.joined())
    lock.withLock { log[id, default: []].append((entry, query["hold"] != nil, { [weak gate] in gate })) }
    if let target = query["to"] { return [.head(302, ["Location": target])] }
    if query["head"] != nil { return [.fail(URLError(.networkConnectionLost))] }

    let body = Data((query["text"] ?? "").utf8)
    let fields = items.filter { $0.name == "header" }.compactMap { $0.value?.split(separator: ":").map(String.init) }
    let head = Step.fields(
      Int(query["status"] ?? "200")!, fields.map { ($0[0], $0[1]) } + [("Content-Length", "\(body.count)")])
    func pieces(_ data: Data) -> [Step] { data.isEmpty ? [] : [.piece(data)] }
    if let hold = query["hold"].flatMap({ Int($0) }) {
      if hold < 0 { return [.wait(gate), head] + pieces(body) }
      return [head] + pieces(body.prefix(hold)) + [.wait(gate)] + pieces(body.dropFirst(hold))
    }
    guard let cut = query["cut"].flatMap({ Int($0) }) else { return [head] + pieces(body) }
    return [head] + pieces(body.prefix(cut)) + [.fail(URLError(.networkConnectionLost))]
  }

  private func logged(_ id: String) -> Data {
    let entries = lock.withLock { log[id] ?? [] }.map { known in
      var entry = known.entry
      entry.aborted = known.holds && known.gate() == nil
      return entry
    }
    return try! JSONEncoder().encode(entries)
  }
}
