import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Schedules the downloads of an image loader, and stores decoded images and permanent failures.
///
/// `queue` owns all state except `decoded`: the variables of this class and the readers of the downloads. Callers and
/// `onTermination` only enqueue. A download may wait for `queue`, but `queue` waits for nothing.
final class DownloadScheduler: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Events = AsyncThrowingStream<Loader.Event, any Error>

  let queue = DispatchQueue(label: "WebPLoading.DownloadScheduler")
  let cache: WebP.ImageCache?
  let limits: Limits
  private let configuration: URLSessionConfiguration
  private let cacheKey: @Sendable (URL) -> URL
  private let transport: (any WebP.Transport)?
  private let cachePartition: String?
  private var upstreams: [SessionKey: Upstream] = [:]
  /// The downloads that have readers, waiting or running.
  private var downloads: [DownloadKey: ImageDownload] = [:]
  /// The downloads that have not begun, in the order of their creation.
  private var waiting: [ImageDownload] = []
  /// The downloads that have begun and not stopped. One without readers is stopping: the next download of the same file
  /// waits, because it continues what was received.
  private var running: [ImageDownload] = []
  private let decoded: DecodedImages
  /// The beginnings of canceled downloads that can be resumed.
  private var partial: LRUCache<DownloadKey, PartialFile>
  /// The errors of loads that failed permanently.
  private var failed = LRUCache<ImageKey, any Error>(maximumCost: 2 << 20)

  struct Limits {
    var maximumDecodedBytes = 64 << 20
    var maximumLoads = 12
    var maximumLoadsPerHost = 6
    var minimumBytesPerSecond = 0
    var maximumPartialBytes = 8 << 20
    var perform = BackgroundActivity.system
    var readFile: @Sendable (URL, Int) throws -> Data = { try Data(file: $0, maximumBytes: $1) }
    var clock = TimeSource()
  }

  init(
    _ limits: Limits, _ configuration: URLSessionConfiguration, _ cache: WebP.ImageCache?,
    cachePartition: String? = nil, transport: (any WebP.Transport)? = nil,
    cacheKey: @escaping @Sendable (URL) -> URL = { $0 }
  ) {
    self.transport = transport
    self.cachePartition = cachePartition
    self.limits = limits
    self.configuration = configuration.copy() as! URLSessionConfiguration
    self.cache = cache
    self.cacheKey = cacheKey
    decoded = DecodedImages(maximumBytes: limits.maximumDecodedBytes)
    partial = LRUCache(maximumCost: limits.maximumPartialBytes)
  }

  /// Returns an image in memory that answers a request, or that a view can show until the answer arrives.
  func imageInMemory(
    for request: URLRequest, _ options: Loader.Options
  ) -> (image: Loader.Loaded, isLargeEnough: Bool)? {
    let request = request.withPolicy(of: configuration)
    guard request.acceptsDecoded else { return nil }
    return decoded.nearest(to: ImageKey(DownloadKey(request, options, cacheKey: cacheKey), options))
  }

  func updates(for request: URLRequest, _ options: Loader.Options) -> Loader.Updates {
    let (reader, events) = read(request, options)
    return Loader.Updates(
      events: events, changePriority: { priority in self.queue.async { reader.options.priority = priority } },
      end: { self.leave(reader) })
  }

  /// Loads an image, or only its file if `decodes` is false.
  ///
  /// - Parameter file: the file, if the caller has it.
  func read(
    _ request: URLRequest, _ options: Loader.Options, decodes: Bool = true, file: Loader.File? = nil
  ) -> (ImageReader, Events) {
    var request = request.withPolicy(of: configuration)
    if options.refreshesCached { request.cachePolicy = .reloadRevalidatingCacheData }
    let key = DownloadKey(request, options, cacheKey: cacheKey)
    let (events, continuation) = Events.makeStream(bufferingPolicy: .bufferingNewest(1))
    let reader = ImageReader(ImageKey(key, options, decodes: decodes), options, continuation)
    // `Task.cancel` calls this closure while it holds the task's lock, which `yield` needs.
    continuation.onTermination = { _ in self.leave(reader) }
    queue.async { [request] in self.add(reader, request, key, file) }
    return (reader, events)
  }

  /// Removes a reader that needs no further events.
  private func leave(_ reader: ImageReader) {
    queue.async { if let download = reader.download { self.remove(reader, from: download) } }
  }

  /// Sends an update to the readers of an image.
  func send(_ update: Loader.Update, _ info: WebP.ImageInfo?, _ image: ImageKey, of download: ImageDownload) {
    queue.async { for reader in download.readers.values where reader.key == image { reader.receive(update, info) } }
  }

  /// Sends an update to one reader of a download.
  func send(_ update: Loader.Update, _ info: WebP.ImageInfo?, to reader: ImageReader, of download: ImageDownload) {
    queue.async { if reader.download === download { reader.receive(update, info) } }
  }

  /// Ends the readers of `image`, or all readers of the download if `image` is nil.
  ///
  /// - Parameter isSecret: whether the result must not be stored.
  func end(
    _ download: ImageDownload, _ image: ImageKey?, _ result: Result<Loader.Event, any Error>, isSecret: Bool
  ) {
    queue.async {
      let readers = download.readers.values.filter { image == nil || $0.key == image }
      if readers.isEmpty { return }
      for key in Set(readers.map(\.key)) { self.store(result, key, download, isSecret: isSecret) }
      for reader in readers { self.remove(reader, from: download) }
      for reader in readers { reader.finish(result) }
    }
  }

  /// Starts a waiting download after the work of another one has ended.
  ///
  /// - Parameter file: the beginning of the file, if the download was canceled and can be resumed.
  func didStop(_ download: ImageDownload, _ file: PartialFile?) {
    queue.async {
      if let file { self.partial.store(file, download.key, cost: download.key.memoryBytes + file.bytes.count) }
      self.running.removeAll { $0 === download }
      self.startNext()
    }
  }

  /// Removes the decoded images and failures of a URL whose resource may have changed.
  func forget(_ url: URL?) {
    queue.async {
      self.decoded.removeAll { $0.download.url == url }
      self.failed.removeAll { $0.download.url == url }
      self.partial.removeAll { $0.url == url }
    }
  }

  func removeDecoded() {
    decoded.removeAll()
    queue.async { self.partial.removeAll() }
  }

  /// Releases all images in memory, which can be loaded or read again.
  func releaseMemory() {
    removeDecoded()
    cache?.removeAllFromMemory()
  }

  func forgetFailures() { queue.async { self.failed.removeAll() } }
}

// MARK: Called on the queue

extension DownloadScheduler {
  func upstream(for key: SessionKey) -> Upstream {
    if let upstream = upstreams[key] { return upstream }
    let configuration = configuration.copy() as! URLSessionConfiguration
    if !key.handlesCookies { configuration.httpCookieStorage = nil }
    let upstream = Upstream(
      configuration, transport: transport, keepsURLCache: cache == nil,
      // Loads without cookies, or with invalid certificates, have their own partitions.
      partition: .init(key == SessionKey() ? cachePartition : nil),
      allowsInvalidCertificates: key.allowsInvalidCertificates, clock: limits.clock)
    upstreams[key] = upstream
    return upstream
  }

  /// Finishes a reader with a stored result, or adds it to a download in progress or to a new one.
  private func add(_ reader: ImageReader, _ request: URLRequest, _ key: DownloadKey, _ file: Loader.File?) {
    let loaded = decoded.image(reader.key)
    if request.acceptsDecoded, let loaded { return reader.finish(.success(.update(.finished(loaded), nil))) }
    if !reader.options.retriesFailed, let error = failed.value(reader.key) { return reader.finish(.failure(error)) }
    if let loaded { reader.receive(.cached(loaded), nil) }
    if let download = downloads[key] {
      download.join(reader)
    } else {
      let download = ImageDownload(request, reader, key, self, file)
      downloads[key] = download
      waiting.append(download)
      startNext()
    }
  }

  func remove(_ reader: ImageReader, from download: ImageDownload) {
    reader.download = nil
    download.readers[ObjectIdentifier(reader)] = nil
    guard download.readers.isEmpty else { return }
    downloads[download.key] = nil
    if let index = waiting.firstIndex(where: { $0 === download }) {
      waiting.remove(at: index)
    } else {
      download.stop()
    }
  }

  private func store(
    _ result: Result<Loader.Event, any Error>, _ image: ImageKey, _ download: ImageDownload, isSecret: Bool
  ) {
    failed.remove(image)
    switch result {
    case .success(.update(.finished(var loaded), _)):
      guard download.request.isCacheable, !isSecret else { return }
      loaded.source = .memory
      decoded.store(loaded, image, cost: image.download.memoryBytes + loaded.cost)
    case .success: break
    case .failure(let error):
      // Failures of local files are not stored, because reading a file again is cheap.
      guard error.isForGood, image.download.call == nil, download.request.url?.isFileURL != true else { return }
      failed.store(error, image, cost: image.download.memoryBytes)
    }
  }

  /// Starts waiting downloads while the limits permit. Downloads with a higher priority are first; among equals, the
  /// ones that were created earlier.
  private func startNext() {
    while running.count < max(1, limits.maximumLoads) {
      let hosts = Dictionary(running.compactMap(\.host).map { ($0, 1) }, uniquingKeysWith: +)
      let full = hosts.filter { $0.value >= max(1, limits.maximumLoadsPerHost) }
      var next: (index: Int, priority: Loader.Options.Priority)?
      // Thousands of downloads may wait.
      for (index, download) in waiting.enumerated() where next?.priority != .high {
        if let host = download.host, full[host] != nil { continue }
        let priority = download.priority
        if let next, next.priority >= priority { continue }
        if !running.contains(where: { $0.key == download.key }) { next = (index, priority) }
      }
      guard let next else { return }
      let download = waiting.remove(at: next.index)
      running.append(download)
      download.start(priority: next.priority, continuing: partial.remove(download.key))
    }
  }
}

extension WebP.ImageLoader.Loaded {
  /// The memory use, in bytes. For an animation, it includes the file, from which later frames are decoded.
  var cost: Int {
    let frames = (animation?.source.frameCount ?? 0) * MemoryLayout<WebP.Animation.FrameInfo>.stride
    return pixelBytes + animationBytes + frames + metadata.bytes
  }
}

extension WebP.Metadata {
  fileprivate var bytes: Int {
    Kind.allCases.reduce(0) { $0 + (self[$1]?.count ?? 0) } + unknown.reduce(0) { $0 + $1.payload.count }
  }
}
