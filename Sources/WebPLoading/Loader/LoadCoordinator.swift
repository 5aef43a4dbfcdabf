import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Schedules the downloads of an image loader, and stores decoded images and permanent failures. Thread-safe.
final class LoadCoordinator: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  /// The options that need a session of their own, because they apply to all requests of a session.
  private struct SessionKey: Hashable {
    let handlesCookies: Bool
    let allowsInvalidCertificates: Bool
  }

  let cache: WebP.ImageCache?
  let minimumBytesPerSecond: Int
  private let configuration: URLSessionConfiguration
  private let maximumLoads: Int
  private let maximumLoadsPerHost: Int
  private let cacheKey: @Sendable (URL) -> URL
  private let lock = NSLock()
  private var sessions: [SessionKey: UpstreamSession] = [:]
  /// The downloads that have readers, waiting or running.
  private var downloads: [DownloadKey: ImageDownload] = [:]
  /// The downloads that have not begun, in the order of their creation.
  private var waiting: [ImageDownload] = []
  /// The host of each download that has begun and not stopped. Nil for files.
  private var running: [String?] = []
  private var decoded: LRUCache<ImageKey, Loader.Loaded>
  /// The errors of loads that failed permanently.
  private var failed = LRUCache<ImageKey, any Error>(maximumCost: 1000)

  struct Limits {
    var maximumDecodedBytes = 64 << 20
    var maximumLoads = 12
    var maximumLoadsPerHost = 6
    var minimumBytesPerSecond = 0
  }

  init(
    _ limits: Limits, _ configuration: URLSessionConfiguration, _ cache: WebP.ImageCache?,
    cacheKey: @escaping @Sendable (URL) -> URL = { $0 }
  ) {
    self.cache = cache
    self.cacheKey = cacheKey
    self.configuration = configuration.copy() as! URLSessionConfiguration
    maximumLoads = max(1, limits.maximumLoads)
    maximumLoadsPerHost = max(1, limits.maximumLoadsPerHost)
    minimumBytesPerSecond = limits.minimumBytesPerSecond
    decoded = LRUCache(maximumCost: limits.maximumDecodedBytes)
  }

  func updates(for request: URLRequest, _ options: Loader.Options) -> Loader.Updates {
    var request = request.withPolicy(of: configuration)
    if options.refreshesCached { request.cachePolicy = .reloadRevalidatingCacheData }
    let key = DownloadKey(request, options, cacheKey: cacheKey)
    let image = ImageKey(key, options)
    let (stream, continuation) = AsyncThrowingStream<Loader.Update, any Error>.makeStream(
      bufferingPolicy: .bufferingNewest(1))
    var reader = ImageReaders.Reader(key: image, options: options, continuation: continuation)
    var known: Result<Loader.Loaded, any Error>?
    var changePriority: @Sendable (Loader.Options.Priority) -> Void = { _ in }
    lock.withLock {
      let loaded = decoded.value(image)
      if request.takesKept, let loaded {
        known = .success(loaded)
      } else if !options.retriesFailed, let error = failed.value(image) {
        known = .failure(error)
      } else {
        if options.refreshesCached, let loaded {
          reader.hasCachedImage = true
          continuation.yield(.cached(loaded))
        }
        let (download, number) = add(reader, request, key)
        changePriority = { priority in
          self.lock.withLock { download.readers.setPriority(priority, of: number) }
        }
      }
    }
    if let known { reader.finish(known) }
    return Loader.Updates(stream, changePriority: changePriority)
  }

  private func leave(_ download: ImageDownload, _ reader: Int) {
    lock.withLock {
      guard download.readers.remove(reader), downloads[download.key] === download else { return }
      downloads[download.key] = nil
      if let index = waiting.firstIndex(where: { $0 === download }) {
        waiting.remove(at: index)
      } else {
        download.cancel()
      }
    }
  }

  /// Records the result of `image`, or of all images of the download if `image` is nil.
  ///
  /// - Returns: the readers that the caller must pass the result to.
  func end(
    _ download: ImageDownload, _ image: ImageKey?, _ result: Result<Loader.Loaded, any Error>
  ) -> [ImageReaders.Reader] {
    lock.withLock {
      let readers = download.readers.removeAll(image)
      guard downloads[download.key] === download else { return readers }
      for image in Set(readers.map(\.key)) { store(result, image, download) }
      if download.readers.isEmpty {
        downloads[download.key] = nil
        removeRunning(download)
      }
      return readers
    }
  }

  /// Starts a waiting download in the place of a canceled one. Called after the work of the canceled download has
  /// ended.
  func didStop(_ download: ImageDownload) { lock.withLock { removeRunning(download) } }

  /// Removes the decoded images and failures of a URL whose resource may have changed.
  func forget(_ url: URL?) {
    lock.withLock {
      decoded.removeAll { $0.download.url == url }
      failed.removeAll { $0.download.url == url }
    }
  }

  func removeDecoded() { lock.withLock { decoded.removeAll() } }

  /// Releases all images in memory, which can be loaded or read again.
  func releaseMemory() {
    removeDecoded()
    cache?.removeAllFromMemory()
  }

  func forgetFailures() { lock.withLock { failed.removeAll() } }

  // MARK: Called with the lock held

  func session(for options: Loader.Options) -> UpstreamSession {
    let key = SessionKey(
      handlesCookies: options.handlesCookies, allowsInvalidCertificates: options.allowsInvalidCertificates)
    if let session = sessions[key] { return session }
    let configuration = configuration.copy() as! URLSessionConfiguration
    if !key.handlesCookies { configuration.httpCookieStorage = nil }
    let session = UpstreamSession(
      configuration, keepsURLCache: cache == nil, allowsInvalidCertificates: key.allowsInvalidCertificates)
    sessions[key] = session
    return session
  }

  /// Adds a reader to a download in progress, or to a new one.
  ///
  /// - Returns: the download, and the reader's number in it.
  private func add(
    _ reader: ImageReaders.Reader, _ request: URLRequest, _ key: DownloadKey
  ) -> (download: ImageDownload, reader: Int) {
    let current = downloads[key]
    let download = current ?? ImageDownload(request, reader.options, key, self)
    let number = download.readers.add(reader)
    reader.continuation.onTermination = { _ in self.leave(download, number) }
    if current != nil {
      download.join(reader.key)
    } else {
      downloads[key] = download
      waiting.append(download)
      startNext()
    }
    return (download, number)
  }

  private func store(_ result: Result<Loader.Loaded, any Error>, _ image: ImageKey, _ download: ImageDownload) {
    failed.remove(image)
    switch result {
    case .success(var loaded):
      guard download.request.isCacheable, !download.isSecret else { return }
      loaded.source = .memory
      decoded.store(loaded, image, cost: image.download.memoryBytes + loaded.cost)
    case .failure(let error):
      // Failures of local files are not stored, because reading a file again is cheap.
      guard error.isForGood, image.download.call == nil, download.request.url?.isFileURL != true else { return }
      failed.store(error, image, cost: 1)
    }
  }

  private func removeRunning(_ download: ImageDownload) {
    if let index = running.firstIndex(of: download.host) { running.remove(at: index) }
    startNext()
  }

  /// Starts waiting downloads while the limits permit. Downloads with a higher priority are first; among equals, the
  /// ones that were created earlier.
  private func startNext() {
    while running.count < maximumLoads {
      let startable = waiting.filter { download in
        download.host == nil || running.count { $0 == download.host } < maximumLoadsPerHost
      }
      guard let highest = startable.map(\.priority).max(),
        let next = startable.first(where: { $0.priority == highest })
      else { return }
      running.append(next.host)
      waiting.removeAll { $0 === next }
      next.start(priority: highest)
    }
  }
}

extension WebP.ImageLoader.Loaded {
  /// The memory use, in bytes. For an animation, it includes the file, from which later frames are decoded.
  var cost: Int {
    let frames = (animation?.source.frameCount ?? 0) * MemoryLayout<WebP.Animation.FrameInfo>.stride
    return image.pixels.count + animationBytes + frames + metadata.bytes
  }
}

extension WebP.Metadata {
  fileprivate var bytes: Int {
    [icc, exif, xmp].reduce(0) { $0 + ($1?.count ?? 0) } + unknown.reduce(0) { $0 + $1.payload.count }
  }
}
