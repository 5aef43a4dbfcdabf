import Foundation
import PureWebP
import TestSupport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads of one loader beside each other: a slow reader beside fast ones, and loads that are dropped midway.
struct MixedLoads {
  private static let picture = "encoder-cwebp-q75.webp"

  private let base: URL
  private let loader = WebP.ImageLoader(configuration: .patient, maximumLoads: 16, maximumLoadsPerHost: 16)

  init(_ base: URL) { self.base = base }

  /// The server sends the picture in parts of 1000 bytes.
  private func url(_ name: String) -> URL {
    URL(string: "\(base.absoluteString)/\(Self.picture)?piece=1000&n=\(name)")!
  }

  /// In each round, one load reads its first part until nine others have ended.
  func run(count: Int) async throws {
    let file = try await loader.data(for: url("file"))
    let watchdog = Watchdog("a slow reader")
    for round in 0..<count / 10 {
      let mayEnd = DispatchSemaphore(value: 0)
      let (started, start) = AsyncStream<Void>.makeStream()
      let options = WebP.ImageLoader.Options(onProgress: { _ in
        start.yield()
        mayEnd.wait()
        mayEnd.signal()
      })
      let slow = Task { try await loader.data(for: url("slow-\(round)"), options: options) }
      for await _ in started { break }
      await withTaskGroup(of: Data?.self) { group in
        for number in 0..<9 { group.addTask { try? await loader.data(for: url("\(round)-\(number)")) } }
        for await data in group where data != file { LoadingStress.fail("a fast load failed") }
      }
      mayEnd.signal()
      guard try await slow.value == file else { LoadingStress.fail("the slow load has another file") }
      watchdog.step()
    }
    try await drop(count)
    guard try await loader.data(for: url("last")) == file else { LoadingStress.fail("the last load failed") }
    print("\(count * 2) loads")
  }

  /// Starts loads in eight tasks, and drops each after its first update.
  private func drop(_ count: Int) async throws {
    let watchdog = Watchdog("dropped loads")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in stride(from: task, to: count, by: 8) {
            for try await _ in loader.updates(for: url("dropped-\(number)")) { break }
            watchdog.step()
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
