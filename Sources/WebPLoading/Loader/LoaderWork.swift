import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a loader shares between its loads: which run, which wait, what is decoded, what has failed.
final class LoaderWork: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  /// Which requests are one and the same load.
  struct Key: Hashable {
    let url: URL?
    let method: String?
    let body: Data?
    let headers: [String: String]
    let transform: String?
    let decoding: WebP.DecodeOptions
    let handlesCookies: Bool
    var refreshes: Bool

    /// Of what is loaded, however it is asked for.
    var ofPicture: Key {
      var key = self
      key.refreshes = false
      return key
    }
  }

  let cache: WebP.ImageCache?
  private let withCookies: InnerSession
  private let withoutCookies: InnerSession
  private let maximumLoads: Int
  private let lock = NSLock()
  private var loads: [Key: ImageLoad] = [:]
  private var waiting: [ImageLoad] = []
  private var running = 0
  private var decoded: DecodedStore
  private var failed = FailureStore<Key>(maximumCount: 1000)

  init(
    _ configuration: URLSessionConfiguration, _ cache: WebP.ImageCache?, maximumDecodedBytes: Int, maximumLoads: Int
  ) {
    self.cache = cache
    self.maximumLoads = maximumLoads
    withCookies = InnerSession(configuration, keepsURLCache: cache == nil)
    let plain = configuration.copy() as! URLSessionConfiguration
    plain.httpShouldSetCookies = false
    plain.httpCookieStorage = nil
    withoutCookies = InnerSession(plain, keepsURLCache: cache == nil)
    decoded = DecodedStore(maximumBytes: maximumDecodedBytes)
  }

  func session(handlesCookies: Bool) -> InnerSession { handlesCookies ? withCookies : withoutCookies }

  func updates(for request: URLRequest, _ options: Loader.Options) -> AsyncThrowingStream<Loader.Update, any Error> {
    let key = Key(
      url: request.url, method: request.httpMethod, body: request.httpBody, headers: request.allHTTPHeaderFields ?? [:],
      transform: options.transform?.name,
      decoding: options.decoding, handlesCookies: options.handlesCookies, refreshes: options.refreshesCached)
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      lock.withLock {
        if !options.refreshesCached, let loaded = decoded.image(key) {
          continuation.yield(.finished(loaded))
          continuation.finish()
          return
        }
        if !options.retriesFailed, let error = failed[key.ofPicture] {
          continuation.finish(throwing: error)
          return
        }
        let load = loads[key] ?? ImageLoad(request, options, key, self)
        let reader = load.add(continuation, isProgressive: options.isProgressive)
        continuation.onTermination = { _ in self.leave(load, reader) }
        if loads[key] == nil {
          loads[key] = load
          waiting.append(load)
        }
        load.priority = max(load.priority, options.priority)
        startNext()
      }
    }
  }

  private func leave(_ load: ImageLoad, _ reader: Int) {
    lock.withLock {
      guard load.remove(reader), loads[load.key] === load else { return }
      if let place = waiting.firstIndex(where: { $0 === load }) {
        waiting.remove(at: place)
        loads[load.key] = nil
      } else {
        load.cancel()
        removeRunning(load)
      }
    }
  }

  /// - Parameter error: nil if it came to a good end.
  func end(_ load: ImageLoad, _ loaded: Loader.Loaded?, _ error: (any Error)?) {
    lock.withLock {
      guard loads[load.key] === load else { return }
      if let loaded { decoded.store(loaded, load.key.ofPicture) }
      // Whether a file is there is quickly asked.
      if load.key.url?.isFile != true { failed.store(error, load.key.ofPicture) }
      removeRunning(load)
    }
  }

  func removeDecoded() { lock.withLock { decoded.removeAll() } }
  func forgetFailures() { lock.withLock { failed.removeAll() } }

  // MARK: With the lock held

  private func removeRunning(_ load: ImageLoad) {
    loads[load.key] = nil
    running -= 1
    startNext()
  }

  private func startNext() {
    // Of those with the same priority, the one that has waited longest.
    while running < maximumLoads, let highest = waiting.map(\.priority).max(),
      let place = waiting.firstIndex(where: { $0.priority == highest })
    {
      running += 1
      waiting.remove(at: place).start()
    }
  }
}

/// Decoded pictures; the one that was not used for the longest time goes first. Not thread-safe.
private struct DecodedStore {
  let maximumBytes: Int
  private var images: [LoaderWork.Key: (loaded: WebP.ImageLoader.Loaded, lastUse: Int)] = [:]
  private var bytes = 0
  private var uses = 0

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  mutating func image(_ key: LoaderWork.Key) -> WebP.ImageLoader.Loaded? {
    uses += 1
    images[key]?.lastUse = uses
    return images[key]?.loaded
  }

  mutating func store(_ loaded: WebP.ImageLoader.Loaded, _ key: LoaderWork.Key) {
    remove(key)
    guard loaded.image.pixels.count <= maximumBytes else { return }
    uses += 1
    let kept = WebP.ImageLoader.Loaded(
      image: loaded.image, animation: loaded.animation, metadata: loaded.metadata, source: .memory)
    images[key] = (kept, uses)
    bytes += loaded.image.pixels.count
    while bytes > maximumBytes, let oldest = images.min(by: { $0.value.lastUse < $1.value.lastUse }) {
      remove(oldest.key)
    }
  }

  private mutating func remove(_ key: LoaderWork.Key) {
    bytes -= images.removeValue(forKey: key)?.loaded.image.pixels.count ?? 0
  }

  mutating func removeAll() {
    images = [:]
    bytes = 0
  }
}
