import Foundation
import PureWebP
import TestSupport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads that are canceled after 0 to 3 ms, followed by one that must succeed.
struct CanceledLoads {
  typealias Loader = WebP.ImageLoader
  private static let picture = "encoder-cwebp-q75.webp"

  private let base: URL
  private let file: URL?

  init(_ base: URL, file: URL? = nil) {
    self.base = base
    self.file = file
  }

  /// Cancels loads of files and of URLs, by both functions of the loader, in two and in eight tasks, of one URL and of
  /// several ones.
  func run(count: Int) async throws {
    let kinds = [false, true]
    var total = 0
    for (isFile, isImage) in kinds.flatMap({ a in kinds.map { (a, $0) } }) {
      for (tasks, isShared) in [2, 8].flatMap({ a in kinds.map { (a, $0) } }) {
        let name = "\(isFile ? "file" : "http") \(isImage ? "image" : "updates") \(tasks) tasks, shared: \(isShared)"
        let loader = Loader(configuration: .patient)
        // The URLs of a file differ in their fragment.
        let own = isFile ? file! : base.appendingPathComponent(Self.picture)
        let finished = try await cancel(count / 16, tasks, name) { number in
          let url = isShared ? own : URL(string: "\(own.absoluteString)\(isFile ? "#" : "?")\(number)")!
          // Without this, the image in memory would answer later loads.
          let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
          if isImage {
            _ = try await loader.image(for: request)
          } else {
            for try await _ in loader.updates(for: request) {}
          }
        }
        _ = try await loader.image(for: own)
        total += count / 16
        print("\(name): \(finished) of \(count / 16) loads were faster than their cancellation")
      }
    }
    print("\(total) loads")
  }

  /// Cancels loads of URLs that redirect, by a loader and by a session with `withWebP`.
  func runRedirects(count: Int) async throws {
    let target = base.appendingPathComponent(Self.picture)
    @Sendable func url(_ number: Int) -> URL {
      URL(string: "\(base.absoluteString)/to-\(number).webp?to=\(target.absoluteString)")!
    }
    let loader = Loader(configuration: .patient)
    _ = try await cancel(count / 2, 8, "redirected loader") { _ = try await loader.image(for: url($0)) }
    _ = try await loader.image(for: url(-1))
    let session = URLSession(configuration: .patient.withWebP())
    _ = try await cancel(count / 2, 8, "redirected session") { _ = try await session.data(from: url($0)) }
    _ = try await session.data(from: url(-1))
    print("\(count) loads")
  }

  /// Registers and unregisters the protocol while the shared session asks it whether it claims a request.
  func runRegistrations(count: Int) async {
    let watchdog = Watchdog("registrations")
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<count * 10 {
          WebPURLProtocol.register()
          WebPURLProtocol.unregister()
          watchdog.step()
        }
      }
      group.addTask {
        // Nothing answers at this port.
        for number in 0..<count {
          _ = try? await URLSession.shared.data(from: URL(string: "stwebp-http://127.0.0.1:1/\(number).webp")!)
        }
      }
    }
    print("\(count) loads")
  }

  /// Starts `count` loads in several tasks, and cancels each after 0 to 3 ms.
  ///
  /// - Returns: the number of loads that ended before.
  private func cancel(
    _ count: Int, _ tasks: Int, _ name: String, _ load: @escaping @Sendable (Int) async throws -> Void
  ) async throws -> Int {
    let watchdog = Watchdog(name)
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var finished = 0
          for number in stride(from: task, to: count, by: tasks) {
            let loading = Task { try await load(number) }
            try await Task.sleep(nanoseconds: UInt64(number &* 7919 % 3000) * 1000)
            loading.cancel()
            switch await loading.result {
            case .success: finished += 1
            case .failure(let error) where error is CancellationError || (error as? URLError)?.code == .cancelled: break
            case .failure(let error): LoadingStress.fail("\(name): \(error)")
            }
            watchdog.step()
          }
          return finished
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
