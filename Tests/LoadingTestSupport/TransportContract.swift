import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rules of `WebP.Transport` as a table. To test another transport, copy this file and
/// Tests/WebPLoadingTests/Server/server.py, start the server, and call `check` with each rule.
public struct TransportContract: Sendable {
  /// A rule that a transport breaks.
  public struct Broken: Error, CustomStringConvertible {
    public let description: String
  }

  private let transport: any WebP.Transport
  private let server: URL

  public static let rules: [(name: String, check: @Sendable (TransportContract) async throws -> Void)] = [
    ("bodiesAreComplete", { try await $0.bodiesAreComplete() }),
    ("chunkedBodiesAreComplete", { try await $0.chunkedBodiesAreComplete() }),
    ("bodiesUntilTheEndAreComplete", { try await $0.bodiesUntilTheEndAreComplete() }),
    ("trailersAreSkipped", { try await $0.trailersAreSkipped() }),
    ("emptyBodiesEnd", { try await $0.emptyBodiesEnd() }),
    ("headersAreSent", { try await $0.headersAreSent() }),
    ("bodiesAreSent", { try await $0.bodiesAreSent() }),
    ("fieldsStaySeparate", { try await $0.fieldsStaySeparate() }),
    ("errorsHaveBodies", { try await $0.errorsHaveBodies() }),
    ("redirectsAreResponses", { try await $0.redirectsAreResponses() }),
    ("cookiesAreNotStored", { try await $0.cookiesAreNotStored() }),
    ("interimResponsesAreSkipped", { try await $0.interimResponsesAreSkipped() }),
    ("compressedBodiesAreDecoded", { try await $0.compressedBodiesAreDecoded() }),
    ("cutBodiesFail", { try await $0.cutBodiesFail() }),
    ("cutHeadsFail", { try await $0.cutHeadsFail() }),
    ("refusedConnectionsFail", { try await $0.refusedConnectionsFail() }),
    ("canceledHeadsEndTheTransfer", { try await $0.canceledHeadsEndTheTransfer() }),
    ("canceledBodiesEndTheTransfer", { try await $0.canceledBodiesEndTheTransfer() }),
    ("releasedBodiesEndTheTransfer", { try await $0.releasedBodiesEndTheTransfer() }),
  ]

  /// Checks one rule.
  ///
  /// - Parameters:
  ///   - rule: the name of the rule.
  ///   - server: the address of server.py.
  /// - Throws: `Broken` if the transport breaks the rule, or an error of the transport.
  public static func check(_ rule: String, _ transport: any WebP.Transport, _ server: URL) async throws {
    guard let rule = rules.first(where: { $0.name == rule }) else { throw Broken(description: "no rule \(rule)") }
    try await rule.check(TransportContract(transport: transport, server: server))
  }

  // MARK: Rules

  private func bodiesAreComplete() async throws {
    let (response, body) = try await load(request(["text": "hello", "piece": "1"]))
    try expect(response.status == 200 && body == Data("hello".utf8), "another body")
  }

  private func chunkedBodiesAreComplete() async throws {
    let (_, body) = try await load(request(["text": "hello", "piece": "2", "chunked": "1"]))
    try expect(body == Data("hello".utf8), "another body")
  }

  private func bodiesUntilTheEndAreComplete() async throws {
    let (_, body) = try await load(request(["text": "hello", "unframed": "1"]))
    try expect(body == Data("hello".utf8), "another body")
  }

  private func trailersAreSkipped() async throws {
    let (_, body) = try await load(request(["text": "hello", "chunked": "1", "trailer": "X-Color:blue"]))
    try expect(body == Data("hello".utf8), "another body")
  }

  private func emptyBodiesEnd() async throws {
    let (response, body) = try await load(request(["text": "", "status": "204"]))
    try expect(response.status == 204 && body.isEmpty, "another response")
  }

  private func headersAreSent() async throws {
    let request = request(["text": "hello"], id: "headers", fields: ["X-Color": "blue", "Cookie": "a=b"])
    _ = try await load(request)
    let headers = try await log(of: request)[0].headers
    try expect(headers["x-color"] == "blue" && headers["cookie"] == "a=b", "other headers: \(headers)")
  }

  private func bodiesAreSent() async throws {
    var request = request(["text": "hello"], id: "bodies")
    request.httpMethod = "POST"
    request.httpBody = Data("hello".utf8)
    _ = try await load(request)
    let logged = try await log(of: request)[0]
    try expect(logged.method == "POST" && logged.body == "68656c6c6f", "another request: \(logged)")
  }

  private func fieldsStaySeparate() async throws {
    var request = request(["text": "hello"])
    request.url = URL(string: request.url!.absoluteString + "&header=X-Color:blue&header=X-Color:red")
    let (response, _) = try await load(request)
    let colors = response.fields.filter { $0.name.lowercased() == "x-color" }.map(\.value)
    try expect(colors == ["blue", "red"], "other fields: \(colors)")
  }

  private func errorsHaveBodies() async throws {
    for status in [401, 404, 500] {
      let (response, body) = try await load(request(["text": "no", "status": "\(status)"]))
      try expect(response.status == status && body == Data("no".utf8), "another response")
    }
  }

  private func redirectsAreResponses() async throws {
    let request = request(["to": "file:///etc/passwd"], id: "redirects")
    let (response, _) = try await load(request)
    try expect(response.status == 302, "status \(response.status)")
    let location = response.fields.first { $0.name.lowercased() == "location" }?.value
    try expect(location == "file:///etc/passwd", "location \(location ?? "none")")
    let (incomplete, _) = try await load(self.request(["text": "", "status": "302"]))
    try expect(incomplete.status == 302, "status \(incomplete.status)")
  }

  private func cookiesAreNotStored() async throws {
    let request = request(["text": "hello", "header": "Set-Cookie:a=b"], id: "cookies")
    for _ in 0..<2 { _ = try await load(request) }
    let requests = try await log(of: request)
    try expect(requests.allSatisfy { $0.headers["cookie"] == nil }, "the cookie was sent")
  }

  private func interimResponsesAreSkipped() async throws {
    for interim in ["103 Early Hints\\nLink: </a.css>", "100 Continue"] {
      let before = String(repeating: "HTTP/1.1 \(interim)\\n\\n", count: 2)
      let (response, body) = try await load(request(["text": "hello", "before": before]))
      try expect(response.status == 200 && body == Data("hello".utf8), "another response")
    }
  }

  private func compressedBodiesAreDecoded() async throws {
    let (_, body) = try await load(
      request(["text": "hello", "gzip": "1"], fields: ["Accept-Encoding": "gzip"]))
    try expect(body == Data("hello".utf8), "another body")
  }

  private func cutBodiesFail() async throws {
    for cut in 0..<5 {
      let request = request(["text": "hello", "cut": "\(cut)"])
      try await expectFailure("the body ends after \(cut) bytes") { _ = try await load(request) }
    }
  }

  private func cutHeadsFail() async throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
    for cut in 0..<head.utf8.count {
      let request = request(["text": "hello", "head": "\(cut)"])
      try await expectFailure("the head ends after \(cut) bytes") { _ = try await load(request) }
    }
  }

  private func refusedConnectionsFail() async throws {
    let request = URLRequest(url: URL(string: "http://127.0.0.1:1/")!)
    try await expectFailure("nothing answers") { _ = try await load(request) }
  }

  private func canceledHeadsEndTheTransfer() async throws {
    try await expectEnd(request(["text": "hello", "hold": "-1"], id: "heads")) { _ = try await load($0) }
  }

  private func canceledBodiesEndTheTransfer() async throws {
    try await expectEnd(request(["text": "hello", "hold": "2"], id: "canceled")) { _ = try await load($0) }
  }

  private func releasedBodiesEndTheTransfer() async throws {
    let request = request(["text": "hello", "hold": "2"], id: "released")
    var response: WebP.TransportResponse? = try await transport.send(request, options: .init())
    _ = try await response?.body.next()
    response = nil
    try await waitForEnd(of: request)
  }

  // MARK: Steps

  private func request(
    _ query: [String: String], id: String = "contract", fields: [String: String] = [:]
  ) -> URLRequest {
    var parts = URLComponents(url: server, resolvingAgainstBaseURL: false)!
    parts.path = "/contract"
    parts.queryItems = (query.map { ($0.key, $0.value) } + [("id", "\(id)-\(UUID())")]).map {
      URLQueryItem(name: $0.0, value: $0.1)
    }
    var request = URLRequest(url: parts.url!)
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  private func load(_ request: URLRequest) async throws -> (WebP.TransportResponse, Data) {
    let response = try await transport.send(request, options: .init())
    var body = Data()
    while let piece = try await response.body.next() {
      try expect(!piece.isEmpty, "an empty piece")
      body += piece
    }
    return (response, body)
  }

  private struct Logged: Decodable {
    let method: String
    let headers: [String: String]
    let body: String
    let aborted: Bool
  }

  private func log(of request: URLRequest) async throws -> [Logged] {
    let id = URLComponents(url: request.url!, resolvingAgainstBaseURL: false)!.queryItems!.first { $0.name == "id" }!
    var parts = URLComponents(url: server, resolvingAgainstBaseURL: false)!
    parts.path = "/_log"
    parts.queryItems = [id]
    return try JSONDecoder().decode([Logged].self, from: try await load(URLRequest(url: parts.url!)).1)
  }

  /// Cancels a load as soon as the server has received its request.
  private func expectEnd(
    _ request: URLRequest, _ load: @escaping @Sendable (URLRequest) async throws -> Void
  ) async throws {
    let task = Task { try await load(request) }
    try await waitForLog(of: request, "the request does not arrive") { !$0.isEmpty }
    task.cancel()
    try await expectFailure("the task is canceled") { try await task.value }
    try await waitForEnd(of: request)
  }

  /// Waits until the server has noticed that the transfer has ended.
  private func waitForEnd(of request: URLRequest) async throws {
    try await waitForLog(of: request, "the transfer continues") { $0.first?.aborted == true }
  }

  /// Waits for a state of the server, for at least 100 seconds.
  private func waitForLog(of request: URLRequest, _ problem: String, until: ([Logged]) -> Bool) async throws {
    for _ in 0..<20_000 {
      if until(try await log(of: request)) { return }
      try await Task.sleep(nanoseconds: 5_000_000)
    }
    throw Broken(description: problem)
  }

  private func expectFailure(_ reason: String, _ operation: () async throws -> Void) async throws {
    do { try await operation() } catch is Broken { throw Broken(description: reason) } catch { return }
    throw Broken(description: "no error, although \(reason)")
  }

  private func expect(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    if !condition { throw Broken(description: problem()) }
  }
}

/// A transport that wraps another one and its bodies, as apps do to sign, log or count.
public struct DecoratedTransport: WebP.Transport {
  private let base: any WebP.Transport

  public init(_ base: any WebP.Transport) { self.base = base }

  public func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    let response = try await base.send(request, options: options)
    return WebP.TransportResponse(status: response.status, fields: response.fields, body: Body(response.body))
  }

  private actor Body: WebP.TransportBody {
    private let base: any WebP.TransportBody

    init(_ base: any WebP.TransportBody) { self.base = base }

    func next() async throws -> Data? { try await base.next() }
  }
}
