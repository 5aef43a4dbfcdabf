import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that pipes and devices, whose `open` or `read` may never return, are neither opened for waiting nor read.
/// Expected values: errors, and the image of a regular file that is loaded afterwards.
@Suite(.gated, .needs("python3")) struct SpecialFileTests {
  private let folder = try! TemporaryFolder.make()

  /// Creates a pipe without a writer.
  private func pipe(_ name: String) throws -> URL {
    let file = folder.appendingPathComponent(name)
    try #require(unsafe mkfifo(file.path, 0o600) == 0)
    return file
  }

  @Test func aLoaderAnswersAfterPipesWereCanceled() async throws {
    let loader = WebP.ImageLoader(configuration: .patient)
    let loads = try (0..<24).map { number in
      let url = try pipe("\(number).webp")
      return Task { _ = try await loader.image(for: url) }
    }
    for load in loads { load.cancel() }
    for load in loads { await #expect(throws: (any Error).self) { try await load.value } }
    let file = folder.appendingPathComponent("regular.webp")
    try Fixtures.bytes(Fixtures.photo).write(to: file)
    #expect(try await loader.image(for: file).source == .cache)
  }

  @Test(arguments: ["/dev/zero", "/tmp"]) func devicesAndFoldersFail(path: String) async throws {
    let url = URL(fileURLWithPath: path)
    await #expect(throws: WebP.LoadError.self) { try await WebP.ImageLoader(configuration: .patient).data(for: url) }
    #expect(throws: WebP.LoadError.self) { try WebP.decode(contentsOf: url) }
  }

  private func data(_ file: URL, maximumBytes: Int) async throws -> Data {
    let options = WebP.ImageLoader.Options(decoding: .init(isUpright: true, limits: .init(maximumBytes: maximumBytes)))
    return try await WebP.ImageLoader(configuration: .patient).data(for: file, options: options)
  }

  @Test(arguments: [0, 1, 1 << 16, 200_000]) func filesAreReadToTheirEnd(length: Int) async throws {
    let file = folder.appendingPathComponent("file")
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 / 251) })
    try bytes.write(to: file)
    #expect(try await data(file, maximumBytes: length) == bytes)
    guard length > 0 else { return }
    let error = await #expect(throws: WebP.LoadError.self) { try await data(file, maximumBytes: length - 1) }
    #expect(error?.underlyingError.code == .dataLengthExceedsMaximum)
  }

  #if os(Linux)
    /// The reported size of this file is 0, but it contains more bytes.
    @Test func filesAreReadUpToTheMaximumLength() async throws {
      let file = URL(fileURLWithPath: "/proc/self/status")
      let error = await #expect(throws: WebP.LoadError.self) { try await data(file, maximumBytes: 100) }
      #expect(error?.underlyingError.code == .dataLengthExceedsMaximum)
      #expect(try await data(file, maximumBytes: .max).count > 100)
    }
  #endif

  /// Another process may replace an entry of the cache by a pipe.
  @Test func aPipeInACacheIsReplaced() async throws {
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let request = URLRequest(url: exchange.url)
    for index in 0..<2 {
      let cache = WebP.ImageCache(folder: folder, maximumMemoryBytes: 0)
      let loader = WebP.ImageLoader(configuration: .patient, cache: cache)
      #expect(try await loader.image(for: request).source == .network, "load \(index)")
      cache.finishWriting()
      let entries = try cacheFiles(in: folder)
      let entry = try #require(entries.first)
      #expect(entries.count == 1 && cache.diskBytes > 0)
      try FileManager.default.removeItem(at: entry)
      _ = try pipe(String(entry.path.dropFirst(folder.path.count + 1)))
    }
  }
}
