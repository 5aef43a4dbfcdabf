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
    let body: Data?
    /// Of a request other than GET, which is carried out each time: no other key is like this one.
    let call: UUID?
    let headers: [String: String]
    let transform: String?
    let decoding: WebP.DecodeOptions
    let handlesCookies: Bool
    var policy: URLRequest.CachePolicy

    init(_ request: URLRequest, _ options: Loader.Options) {
      url = request.url
      body = request.httpBody
      call = request.isGET ? nil : UUID()
      headers = request.allHTTPHeaderFields ?? [:]
      transform = options.transform?.name
      decoding = options.decoding
      handlesCookies = options.handlesCookies
      policy = request.cachePolicy
    }

    /// Of what is loaded, whoever is asked for it.
    var ofPicture: Key {
      var key = self
      key.policy = .useProtocolCachePolicy
      return key
    }

    /// About what it takes in memory, with two kilobytes for what a small picture was measured to consist of.
    var memoryBytes: Int {
      2048 + (url?.absoluteString.utf8.count ?? 0) + (body?.count ?? 0) + headers.memoryBytes
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
  private var decoded: RecentStore<Key, Loader.Loaded>
  /// Why loads failed that would end as badly if they were tried again.
  private var failed = RecentStore<Key, any Error>(maximumCost: 1000)

  init(
    _ configuration: URLSessionConfiguration, _ cache: WebP.ImageCache?, maximumDecodedBytes: Int, maximumLoads: Int
  ) {
    self.cache = cache
    self.maximumLoads = max(1, maximumLoads)
    withCookies = InnerSession(configuration, keepsURLCache: cache == nil)
    let plain = configuration.copy() as! URLSessionConfiguration
    plain.httpCookieStorage = nil
    withoutCookies = InnerSession(plain, keepsURLCache: cache == nil)
    decoded = RecentStore(maximumCost: maximumDecodedBytes)
  }

  func session(handlesCookies: Bool) -> InnerSession { handlesCookies ? withCookies : withoutCookies }

  func updates(for request: URLRequest, _ options: Loader.Options) -> AsyncThrowingStream<Loader.Update, any Error> {
    var request = request.withPolicy(of: session(handlesCookies: options.handlesCookies).configuration)
    if options.refreshesCached { request.cachePolicy = .reloadRevalidatingCacheData }
    let key = Key(request, options)
    return AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      lock.withLock {
        if request.takesKept, let loaded = decoded.value(key.ofPicture) {
          continuation.yield(.finished(loaded))
          continuation.finish()
          return
        }
        if !options.retriesFailed, let error = failed.value(key.ofPicture) {
          continuation.finish(throwing: error)
          return
        }
        let load = loads[key] ?? ImageLoad(request, options, key, self)
        let reader = load.readers.add(continuation, options)
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
      guard load.readers.remove(reader), loads[load.key] === load else { return }
      loads[load.key] = nil
      if let place = waiting.firstIndex(where: { $0 === load }) {
        waiting.remove(at: place)
      } else {
        load.cancel()
      }
    }
  }

  /// - Parameter error: nil if it came to a good end.
  func end(_ load: ImageLoad, _ loaded: Loader.Loaded?, _ error: (any Error)?) {
    lock.withLock {
      guard loads[load.key] === load else { return }
      if var loaded, load.request.isCacheable, !load.isSecret {
        loaded.source = .memory
        decoded.store(loaded, load.key.ofPicture, cost: load.key.memoryBytes + loaded.cost)
      }
      failed.remove(load.key.ofPicture)
      // Whether a file is there is quickly asked.
      if let error, error.isForGood, load.key.call == nil, load.key.url?.isFileURL != true {
        failed.store(error, load.key.ofPicture, cost: 1)
      }
      loads[load.key] = nil
      removeRunning()
    }
  }

  /// To be called when a load that was cancelled does no more work.
  func didStop() { lock.withLock { removeRunning() } }

  /// What was decoded of a URL, and what failed, before that may have changed.
  func forget(_ url: URL?) {
    lock.withLock {
      decoded.removeAll { $0.url == url }
      failed.removeAll { $0.url == url }
    }
  }

  func removeDecoded() { lock.withLock { decoded.removeAll() } }
  func forgetFailures() { lock.withLock { failed.removeAll() } }

  // MARK: With the lock held

  private func removeRunning() {
    running -= 1
    startNext()
  }

  private func startNext() {
    // Of those with the same priority, the one that has waited longest.
    while running < maximumLoads, let highest = waiting.map(\.priority).max(),
      let place = waiting.firstIndex(where: { $0.priority == highest })
    {
      running += 1
      waiting.remove(at: place).start(priority: highest)
    }
  }
}

extension WebP.ImageLoader.Loaded {
  /// The bytes that it keeps in memory: pixels, and of an animation also the file, from which the other frames come.
  var cost: Int {
    let frames = (animation?.frameCount ?? 0) * MemoryLayout<WebP.Animation.FrameInfo>.stride
    return image.pixels.count + animationBytes + frames + metadata.bytes
  }
}

extension WebP.Metadata {
  fileprivate var bytes: Int {
    [icc, exif, xmp].reduce(0) { $0 + ($1?.count ?? 0) } + unknown.reduce(0) { $0 + $1.payload.count }
  }
}
