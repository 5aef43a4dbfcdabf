import Foundation
import LoadingTestSupport
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that downloads begin in order, and that changed and corrupt files replace older ones.
/// Expected values: the requests that a transport in memory receives, and the file that its script sends last.
@Suite struct DownloadRulesTests {
  private let picture = try! Fixtures.bytes(Fixtures.photo)

  private static func url(_ name: some StringProtocol) -> URL { URL(string: "http://a/\(name)")! }

  // MARK: Order

  /// One download runs. The others wait, and begin by priority; equal ones in the order of the calls. `+` raises the
  /// priority of a waiting download, `/` lowers it, and `-` lets its only reader leave.
  @Test(
    arguments: [
      ("n n n n", "0 1 2 3"), ("l n h l n h", "2 5 1 4 0 3"), ("h h n n", "0 1 2 3"), ("l l l +1", "1 0 2"),
      ("n n /0", "1 0"), ("n n +0", "0 1"),
      ("n h n +2", "1 2 0"), ("l l +1 +0", "0 1"), ("n n n -1", "0 2"), ("h n h -0", "2 1"),
    ])
  func downloadsBeginInOrder(calls: String, order: String) async throws {
    let (picture, gate) = (picture, Gate())
    let transport = ScriptedTransport { request in
      request.url?.path == "/first" ? [.wait(gate), .head(200), .piece(picture)] : [.head(200), .piece(picture)]
    }
    let scheduler = DownloadScheduler(.init(maximumLoads: 1), .patient, nil, transport: transport)
    let first = Task { for try await _ in scheduler.updates(for: URLRequest(url: Self.url("first")), .init()) {} }
    await gate.arrival()
    var loads: [Int: Loader.Updates] = [:]
    for call in calls.split(separator: " ") {
      if let index = Int(call.dropFirst()) {
        switch call.first {
        case "+": loads[index]?.setPriority(.high)
        case "/": loads[index]?.setPriority(.low)
        default: loads[index] = nil
        }
        continue
      }
      let priority: Loader.Options.Priority = ["l": .low, "n": .normal, "h": .high][call]!
      let index = loads.count
      loads[index] = scheduler.updates(for: URLRequest(url: Self.url("\(index)")), .init(priority: priority))
    }
    gate.open()
    try await first.value
    for load in loads.values { for try await _ in load {} }
    #expect(transport.requests.dropFirst().map { $0.url!.lastPathComponent }.joined(separator: " ") == order)
  }

  // MARK: Changed files

  /// After 300 bytes, the first download is canceled. A request that may change the file ends its beginning.
  @Test(arguments: [("POST", 200, false), ("DELETE", 204, false), ("POST", 404, true), ("GET", 200, true)])
  func changedFilesAreNotResumed(method: String, status: Int, isResumed: Bool) async throws {
    let (picture, gate) = (picture, Gate())
    let transport = ScriptedTransport { request in
      if request.httpMethod != "GET" || request.url?.query != nil { return [.head(status), .piece(picture)] }
      return [.head(200, ["ETag": "\"1\""]), .piece(picture.prefix(300)), .wait(gate)]
    }
    let loader = Loader(configuration: .patient, transport: transport) { url in
      URL(string: url.absoluteString.split(separator: "?").first.map(String.init)!)!
    }
    func cancelLoad() async {
      let load = Task { try await loader.data(for: Self.url("b")) }
      await gate.arrival(transport.requests.filter { $0.httpMethod == "GET" && $0.url?.query == nil }.count + 1)
      load.cancel()
      _ = await load.result
    }
    await cancelLoad()
    if method != "GET" {
      var change = URLRequest(url: Self.url("b"))
      change.httpMethod = method
      _ = try? await loader.data(for: change)
    }
    await cancelLoad()
    #expect(transport.requests.last?.value(forHTTPHeaderField: "Range") == (isResumed ? "bytes=300-" : nil))
  }

  // MARK: Older entries

  /// A stale entry, and the server's answer to the next request. Offline, the entry answers if it still exists.
  @Test(
    arguments: [
      ("corrupt", 200, false), ("page", 200, false), ("nothing", 200, true), ("cut", 200, true), ("lost", 200, true),
      ("corrupt", 404, true), ("corrupt", 500, true), ("page", 203, false),
    ])
  func corruptFilesReplaceOlderEntries(answer: String, status: Int, remains: Bool) async throws {
    let (picture, corrupt) = (picture, try Fixtures.bytes("animation-and-image.webp"))
    let answers: [String: [Step]] = [
      "corrupt": [.piece(corrupt)], "page": [.piece(Data("<html>".utf8))], "nothing": [],
      "cut": [.piece(picture.prefix(300))], "lost": [.piece(picture.prefix(300)), .fail(URLError(.timedOut))],
    ]
    let count = Counter()
    let transport = ScriptedTransport { _ in
      count.add()
      return count.count == 1
        ? [.head(200, ["ETag": "\"1\""]), .piece(picture)] : [.head(status)] + (answers[answer] ?? [])
    }
    let cache = WebP.ImageCache(folder: nil)
    let loader = Loader(configuration: .patient, cache: cache, transport: transport, maximumDecodedBytes: 0)
    _ = try await loader.image(for: Self.url("b"))
    await #expect(throws: WebP.LoadError.self) { try await loader.image(for: Self.url("b")) }
    cache.isOffline = true
    let error = await failure {
      _ = try await loader.image(for: Self.url("b"), options: .init(retriesFailed: true))
    }
    #expect(error?.code == (remains ? nil : .notConnectedToInternet))
  }
}
