import Foundation

/// Loads from Server/server.py under stress. Exits with status 0 if all loads end as documented, and with 1 if one
/// hangs or fails.
///
///     LoadingStress cancel BASE COUNT FILE     COUNT loads of URLs and of FILE are canceled after 0 to 3 ms
///     LoadingStress redirect BASE COUNT        COUNT loads of URLs that redirect are canceled after 0 to 3 ms
///     LoadingStress register BASE COUNT        the protocol is registered and unregistered during COUNT loads
///     LoadingStress mixed BASE COUNT           COUNT loads beside slow readers, and COUNT that are dropped midway
///     LoadingStress body BASE SESSION SECONDS  loads an endless body that is not a WebP; see `Bodies`
///
/// BASE is the server's address, such as http://127.0.0.1:8080. To add a mode, add a case to `main`.
@main
struct LoadingStress {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count >= 3, let base = URL(string: arguments[1]) else { fatalError("see LoadingStress.swift") }
    switch arguments[0] {
    case "cancel":
      let loads = CanceledLoads(base, file: URL(fileURLWithPath: arguments[3]))
      try await loads.run(count: Int(arguments[2])!)
    case "redirect": try await CanceledLoads(base).runRedirects(count: Int(arguments[2])!)
    case "register": await CanceledLoads(base).runRegistrations(count: Int(arguments[2])!)
    case "mixed": try await MixedLoads(base).run(count: Int(arguments[2])!)
    case "body": try await Bodies(base).run(arguments[2], seconds: Double(arguments[3])!)
    default: fatalError("unknown mode")
    }
  }

  static func fail(_ message: String) -> Never {
    print(message)
    exit(1)
  }
}

/// Ends the process if no step was taken for 100 seconds.
final class Watchdog: @unchecked Sendable {
  private let lock = NSLock()
  /// The number of steps. Protected by the lock.
  private var steps = 0
  var count: Int { lock.withLock { steps } }

  init(_ name: String) {
    Thread.detachNewThread { [weak self] in
      var before = -1
      while let now = self?.count {
        if now == before { LoadingStress.fail("\(name): no load ended in 100 seconds, after \(now)") }
        before = now
        Thread.sleep(forTimeInterval: 100)
      }
    }
  }

  func step() { lock.withLock { steps += 1 } }
}
