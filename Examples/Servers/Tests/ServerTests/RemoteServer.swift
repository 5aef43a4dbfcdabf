import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The server of Tests/WebPLoadingTests/Server/server.py, with the images of Benchmarks/Small. Ends with this process.
struct RemoteServer: Sendable {
  static let shared = Result { try RemoteServer() }

  let url: URL
  /// The system closes it when this process ends, which ends the server.
  private let input: FileHandle

  private init() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "Tests/WebPLoadingTests/Server/server.py", "Benchmarks/Small"].enumerated().map {
      $0.offset == 0 ? $0.element : Files.root.appendingPathComponent($0.element).path
    }
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    try process.run()
    input = stdin.fileHandleForWriting
    var line = Data()
    while !line.contains(10), case let next = stdout.fileHandleForReading.availableData, !next.isEmpty { line += next }
    guard let port = Int(String(decoding: line.dropLast(), as: UTF8.self)) else { throw CocoaError(.fileReadUnknown) }
    url = URL(string: "http://127.0.0.1:\(port)")!
  }

  /// The origin as an option of the service.
  var origin: String { url.absoluteString }

  /// Returns the URL of an image. The query selects the behavior of the server.
  func image(_ name: String = "photo-q75.webp", _ query: [String: String] = [:]) -> String {
    var parts = URLComponents(url: url.appendingPathComponent(name), resolvingAgainstBaseURL: false)!
    parts.queryItems = query.map { URLQueryItem(name: $0.key, value: $0.value) }
    return parts.string!
  }

  struct Logged: Decodable {
    let aborted: Bool
  }

  /// Waits until the log of the requests with an ID meets a condition.
  func waitForLog(of id: String, until condition: ([Logged]) -> Bool) async throws {
    while true {
      let (data, _) = try await URLSession.shared.data(from: URL(string: "\(url)/_log?id=\(id)")!)
      if condition(try JSONDecoder().decode([Logged].self, from: data)) { return }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
