import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The address of a server in this process, and a client for it.
struct Server: Sendable {
  let url: URL
  let session: URLSession

  /// Runs a server on a free port until an operation ends.
  ///
  /// - Parameter run: Runs the server, and reports its port once it accepts connections.
  static func with(
    _ run: @escaping @Sendable (_ isRunning: @escaping @Sendable (_ port: Int) -> Void) async throws -> Void,
    operation: (Server) async throws -> Void
  ) async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 16
    let session = URLSession(configuration: configuration)
    let (ports, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
    let server = Task {
      do { try await run { continuation.yield($0) } } catch { continuation.finish(throwing: error) }
    }
    defer {
      session.invalidateAndCancel()
      server.cancel()
    }
    for try await port in ports {
      return try await operation(Server(url: URL(string: "http://127.0.0.1:\(port)")!, session: session))
    }
  }

  func get(_ path: String, method: String = "GET", _ headers: [String: String] = [:]) async throws -> Answer {
    var request = URLRequest(url: url.appendingPathComponent(path))
    request.httpMethod = method
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    return try await Answer(session.data(for: request))
  }

  func post(_ body: Data, to path: String) async throws -> Answer {
    var request = URLRequest(url: url.appendingPathComponent(path))
    request.httpMethod = "POST"
    return try await Answer(session.upload(for: request, from: body))
  }
}

struct Answer {
  let body: Data
  let response: HTTPURLResponse

  init(_ result: (Data, URLResponse)) throws {
    body = result.0
    guard let response = result.1 as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    self.response = response
  }

  var status: Int { response.statusCode }

  subscript(header: String) -> String? { response.value(forHTTPHeaderField: header) }

  /// The width and height in the header of a PNG. If the body is not a PNG, nil.
  var pngSize: [Int]? {
    guard body.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), body.count > 24 else { return nil }
    return [16, 20].map { offset in body[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
  }
}

enum Files {
  static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL

  static func data(_ path: String) throws -> Data { try Data(contentsOf: root.appendingPathComponent(path)) }
}
