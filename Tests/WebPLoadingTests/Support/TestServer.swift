import Foundation
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The HTTP server of Server/server.py.
final class TestServer: Sendable {
  /// The server for all tests that need no other folders.
  static let shared = TestServer(Fixtures.folders)

  /// The server's port. If the server could not be started, a port at which nothing answers.
  let port: Int
  private let input: FileHandle  // the system closes it when this process ends, which ends the server

  /// Records an issue if the server cannot be started. Then the tests that need it fail, and other tests continue.
  ///
  /// - Parameter folders: the folders whose files are served.
  init(_ folders: [URL]) {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["python3", tests.appendingPathComponent("Server/server.py").path] + folders.map(\.path)
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    input = stdin.fileHandleForWriting
    var line = Data()
    do {
      try process.run()
      while !line.contains(10), case let next = stdout.fileHandleForReading.availableData, !next.isEmpty {
        line += next
      }
    } catch {
      Issue.record(error)
    }
    let port = Int(String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines))
    if port == nil { Issue.record("python3 did not start the loopback server that these tests need") }
    self.port = port ?? 1
  }
}

/// One or several requests with the same `id`, and the server's log of them.
struct Exchange: Sendable {
  let id: String
  let url: URL

  init(id: String, url: URL) {
    self.id = id
    self.url = url
  }

  /// - Parameter query: how the server should behave; see Server/server.py.
  init(_ path: String, scheme: String = "http", _ query: [String: String] = [:]) {
    id = UUID().uuidString
    url = Self.url(path, scheme: scheme, [("id", id)] + query.map { ($0.key, $0.value) })
  }

  static func url(_ path: String, scheme: String = "http", _ query: [(String, String)] = []) -> URL {
    var parts = URLComponents()
    parts.scheme = scheme
    parts.host = "127.0.0.1"
    parts.port = TestServer.shared.port
    parts.path = "/" + path
    parts.queryItems = query.isEmpty ? nil : query.map { URLQueryItem(name: $0.0, value: $0.1) }
    return parts.url!
  }

  /// An image that takes more than a minute to arrive, in small parts, so that no timeout ends it.
  static func trickle() -> Exchange { Exchange("four-megapixels.webp", ["piece": "500", "delay": "0.5"]) }

  struct Request: Decodable {
    let method: String
    let target: String
    let headers: [String: String]
    let body: String
    let sent: Int
    let aborted: Bool
    let port: Int
    let done: Bool
  }

  /// The requests so far.
  func log() async throws -> [Request] {
    let (data, _) = try await Self.plain.data(from: Self.url("_log", [("id", id)]))
    return try JSONDecoder().decode([Request].self, from: data)
  }

  /// Waits until the log meets a condition.
  func wait(until condition: ([Request]) -> Bool) async throws -> [Request] {
    var requests: [Request] = []
    try await waitUntil {
      requests = try await log()
      return condition(requests)
    }
    return requests
  }

  /// Makes the server continue after `hold`.
  func release() async throws {
    _ = try await Self.plain.data(from: Self.url("_go", [("id", id)]))
  }

  private static let plain = URLSession(configuration: .patient)
}
