import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// The thumbnail service in a process of its own.
final class ServiceProcess: Sendable {
  let port: Int
  private let process: Process
  private let end: Task<Int32, Never>

  init() throws {
    // The tests are in the folder of the programs, or in a bundle in this folder.
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let name = "thumbnail-service"
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path) {
      folder.deleteLastPathComponent()
    }
    let process = Process()
    process.executableURL = folder.appendingPathComponent(name)
    process.arguments = ["--port", "0"]
    let output = Pipe()
    process.standardOutput = output
    let (statuses, status) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = {
      status.yield($0.terminationReason == .exit ? $0.terminationStatus : -1)
      status.finish()
    }
    try process.run()
    var line = Data()
    while !line.contains(10), case let next = output.fileHandleForReading.availableData, !next.isEmpty { line += next }
    guard let port = URL(string: String(decoding: line.dropLast(), as: UTF8.self))?.port else {
      throw CocoaError(.fileReadUnknown)
    }
    self.port = port
    self.process = process
    end = Task { await statuses.first { _ in true } ?? -1 }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Sends SIGTERM.
  func terminate() { process.terminate() }

  /// Waits for the end of the process. Returns its exit status, or -1 after a signal.
  func status() async -> Int32 { await end.value }
}

/// A connection without the rules of HTTP.
final class RawConnection: Sendable {
  private let descriptor: Int32

  init(port: Int) throws {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if result != 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
  }

  deinit { close(descriptor) }

  func send(_ data: Data) throws {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress!, $0.count) }
      if count <= 0 { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      rest = rest.dropFirst(count)
    }
  }

  /// Receives all bytes until the server closes the connection.
  func receive() async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [self] in
        var (received, piece) = (Data(), [UInt8](repeating: 0, count: 4096))
        while true {
          let count = read(descriptor, &piece, piece.count)
          if count == 0 { return continuation.resume(returning: received) }
          guard count > 0 else {
            return continuation.resume(throwing: POSIXError(.init(rawValue: errno) ?? .EIO))
          }
          received += piece[..<count]
        }
      }
    }
  }
}
