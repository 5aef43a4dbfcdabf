import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Schedules the downloads of an image loader, delivers their images to the readers, and stores decoded images and
/// permanent failures. All methods are synchronous: the order of the calls is the order of their effects.
final class DownloadScheduler: Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Events = ImageReader.Events

  let cache: WebP.ImageCache?
  let limits: Limits
  let upstream: Upstream
  private let configuration: URLSessionConfiguration
  private let cacheKey: @Sendable (URL) -> URL
  /// Loads without cookies, or with invalid certificates, have their own partitions.
  private let partitions: [SessionKey: WebP.ImageCache.Partition]
  private let decoded: DecodedImages
  private let state: Locked<State>

  struct Limits: Sendable {
    var maximumDecodedBytes = 64 << 20
    var maximumLoads = 12
    var maximumLoadsPerHost = 6
    var minimumBytesPerSecond = 0
    var maximumPartialBytes = 8 << 20
    var perform = BackgroundActivity.system
    var readFile: @Sendable (URL, Int) throws -> Data = { try Data(file: $0, maximumBytes: $1) }
    var clock = Runtime()
  }

  /// A download and its readers.
  fileprivate struct Entry: Sendable {
    let download: ImageDownload
    /// In the order of their calls. Not empty.
    var readers: [ImageReader] = []
    var keepsInMemoryOnly = false

    /// The highest priority of the readers.
    var priority: Loader.Options.Priority { readers.lazy.map(\.options.priority).max() ?? .normal }
  }

  fileprivate struct State: Sendable {
    /// The downloads that have readers, waiting or running, by their numbers.
    var entries: [Int: Entry] = [:]
    var numbers: [DownloadKey: Int] = [:]
    /// The downloads of the readers.
    var places: [Int: Int] = [:]
    /// The complete files of views that have not set their size.
    var files: [Int: Loader.File] = [:]
    /// The downloads that have not begun, and their priorities, in the order in which they begin.
    var waiting: [(number: Int, priority: Loader.Options.Priority)] = []
    /// The downloads that have begun and not stopped. One without readers is stopping: the next download of the same
    /// file waits, because it continues what was received.
    var running: [ImageDownload] = []
    /// The beginnings of canceled downloads that can be resumed.
    var partial: LRUCache<DownloadKey, PartialFile>
    /// The errors of loads that failed permanently.
    var failed = LRUCache<ImageKey, any Error>(maximumCost: 2 << 20)
    /// The number of readers and downloads so far.
    var count = 0
  }

  init(
    _ limits: Limits, _ configuration: URLSessionConfiguration, _ cache: WebP.ImageCache?,
    cachePartition: String? = nil, transport: (any WebP.Transport)? = nil,
    cacheKey: @escaping @Sendable (URL) -> URL = { $0 }
  ) {
    self.limits = limits
    self.configuration = configuration.copy() as! URLSessionConfiguration
    self.cache = cache
    self.cacheKey = cacheKey
    upstream = Upstream(configuration, transport: transport, keepsURLCache: cache == nil, clock: limits.clock)
    var partitions = [SessionKey(): WebP.ImageCache.Partition(cachePartition)]
    for (handles, allows) in [(false, false), (false, true), (true, true)] {
      partitions[SessionKey(handlesCookies: handles, allowsInvalidCertificates: allows)] = .init(nil)
    }
    self.partitions = partitions
    decoded = DecodedImages(maximumBytes: limits.maximumDecodedBytes)
    state = Locked(State(partial: LRUCache(maximumCost: limits.maximumPartialBytes)))
  }

  func partition(_ key: SessionKey) -> WebP.ImageCache.Partition { partitions[key]! }

  /// Returns an image in memory that answers a request, or that a view can show until the answer arrives.
  func imageInMemory(
    for request: URLRequest, _ options: Loader.Options
  ) -> (image: Loader.Loaded, isLargeEnough: Bool)? {
    let request = request.withPolicy(of: configuration)
    guard request.acceptsDecoded else { return nil }
    return decoded.nearest(to: ImageKey(DownloadKey(request, options, cacheKey: cacheKey), options))
  }

  func removeDecoded() {
    decoded.removeAll()
    state.withLock { _ = $0.partial.removeAll { _ in true } }
  }

  /// Releases all images in memory, which can be loaded or read again.
  func releaseMemory() {
    removeDecoded()
    cache?.removeAllFromMemory()
  }

  func forgetFailures() { state.withLock { $0.failed.removeAll() } }

  /// Removes the decoded images and failures of a URL whose resource may have changed.
  func forget(_ url: URL?) {
    decoded.removeAll { $0.download.url == url }
    state.withLock {
      $0.failed.removeAll { $0.download.url == url }
      $0.partial.removeAll { $0.url == url }
    }
  }
}

// MARK: Readers

extension DownloadScheduler {
  func updates(for request: URLRequest, _ options: Loader.Options) -> Loader.Updates {
    let (reader, events) = read(request, options)
    return Loader.Updates(
      events: events, changePriority: { self.setPriority($0, of: reader) }, end: { self.leave(reader) })
  }

  /// A view that reads an image.
  struct View {
    /// The file, if the view has it.
    let file: Loader.File?
    /// The number of the view as a reader, if it reads the same image in another size.
    let number: Int?
  }

  /// Loads an image, or only its file if `decodes` is false.
  ///
  /// - Returns: the number of the reader, and its events.
  func read(
    _ request: URLRequest, _ options: Loader.Options, decodes: Bool = true, view: View? = nil
  ) -> (Int, Events) {
    var request = request.withPolicy(of: configuration)
    if options.refreshesCached { request.cachePolicy = .reloadRevalidatingCacheData }
    let key = DownloadKey(request, options, cacheKey: cacheKey)
    let image = ImageKey(key, options, decodes: decodes)
    let (events, continuation) = Events.makeStream(bufferingPolicy: .bufferingNewest(1))
    let acceptsDecoded = request.acceptsDecoded
    let (reader, effect) = state.withLock { [request] state -> (ImageReader, Effect) in
      state.count += 1
      var reader = ImageReader(
        number: state.count, key: image, options: options, isView: view != nil, continuation: continuation)
      let loaded = decoded.image(image)
      // `finish` is a case of `Effect`, which is performed after the lock.
      if acceptsDecoded, let loaded { return (reader, .finish(.success(.update(.finished(loaded), nil)))) }
      if !options.retriesFailed, let error = state.failed.value(image) { return (reader, .finish(.failure(error))) }
      let cached = loaded.flatMap { reader.accepts(.update(.cached($0), nil)) ? $0 : nil }
      let file = view?.file ?? view?.number.flatMap { state.files.removeValue(forKey: $0) }
      let isNew = state.numbers[key] == nil
      let number = state.numbers[key] ?? state.count
      if isNew {
        state.numbers[key] = number
        state.entries[number] = Entry(download: ImageDownload(number, request, key, self, file))
        state.waiting.append((number, .low))
      }
      state.entries[number]!.readers.append(reader)
      state.places[reader.number] = number
      state.sort(number)
      if let replaced = view?.number { _ = state.remove(from: number) { $0.number == replaced } }
      if options.keepsInMemoryOnly { state.entries[number]!.keepsInMemoryOnly = true }
      return (reader, .join(cached, isNew ? nil : state.entries[number]!.download))
    }
    switch effect {
    case .finish(let result): reader.finish(result)
    case .join(let cached, let download):
      // `Task.cancel` calls this closure while it holds the task's lock, which `yield` needs.
      continuation.onTermination = { [number = reader.number] _ in self.leave(number) }
      if let cached { continuation.yield(.update(.cached(cached), nil)) }
      if let download { download.readersDidChange() } else { startNext() }
    }
    return (reader.number, events)
  }

  private enum Effect: Sendable {
    case finish(Result<Loader.Event, any Error>)
    /// A cached image to deliver, and the download if it was created before.
    case join(Loader.Loaded?, ImageDownload?)
  }

  func setPriority(_ priority: Loader.Options.Priority, of reader: Int) {
    state.withLock { state in
      guard let place = state.places[reader],
        let index = state.entries[place]?.readers.firstIndex(where: { $0.number == reader })
      else { return }
      state.entries[place]!.readers[index].options.priority = priority
      state.sort(place)
    }
  }

  /// Removes a reader that needs no further events.
  func leave(_ reader: Int) {
    let stopped = state.withLock { state in
      state.files[reader] = nil
      return state.places[reader].flatMap { state.remove(from: $0) { $0.number == reader } }
    }
    // Not on this thread, because a transport may have a handler for cancellation.
    if let stopped { DispatchQueue.global().async { stopped.stop() } }
  }
}

extension DownloadScheduler.State {
  /// Removes readers of a download, and the download if it has no others.
  ///
  /// - Returns: the download if it must stop.
  fileprivate mutating func remove(
    from number: Int, where isRemoved: (ImageReader) -> Bool
  ) -> ImageDownload? {
    for reader in entries[number]?.readers ?? [] where isRemoved(reader) { places[reader.number] = nil }
    entries[number]?.readers.removeAll(where: isRemoved)
    sort(number)
    guard entries[number]?.readers.isEmpty == true, let entry = entries.removeValue(forKey: number) else { return nil }
    numbers[entry.download.key] = nil
    guard let index = waiting.firstIndex(where: { $0.number == number }) else { return entry.download }
    waiting.remove(at: index)
    return nil
  }

  /// Moves a download to its position in `waiting` after its readers have changed. Downloads with a higher priority are
  /// first; among equals, the ones that were created earlier.
  fileprivate mutating func sort(_ number: Int) {
    guard let index = waiting.firstIndex(where: { $0.number == number }), let priority = entries[number]?.priority,
      priority != waiting[index].priority
    else { return }
    waiting.remove(at: index)
    let next = waiting.firstIndex { $0.priority < priority || $0.priority == priority && $0.number > number }
    waiting.insert((number, priority), at: next ?? waiting.endIndex)
  }
}

// MARK: Downloads

extension DownloadScheduler {
  /// The wishes of the readers of a download. Empty if it has none.
  func wishes(of download: Int) -> Wishes {
    state.withLock {
      $0.entries[download].map { Wishes($0.readers, keepsInMemoryOnly: $0.keepsInMemoryOnly) } ?? Wishes()
    }
  }

  func hasReaders(_ download: Int) -> Bool { state.withLock { $0.entries[download] != nil } }

  /// Sends an event to the readers of an image that want it.
  func send(_ event: Loader.Event, _ image: ImageKey, of download: Int) {
    let continuations = state.withLock { state -> [Events.Continuation] in
      guard let readers = state.entries[download]?.readers else { return [] }
      return readers.indices.compactMap {
        guard readers[$0].key == image, state.entries[download]!.readers[$0].accepts(event) else { return nil }
        return readers[$0].continuation
      }
    }
    for continuation in continuations { continuation.yield(event) }
  }

  /// Ends the readers of `image`, or all readers of the download if `image` is nil.
  ///
  /// - Parameter isSecret: whether the result must not be stored.
  func end(_ download: Int, _ image: ImageKey?, _ result: Result<Loader.Event, any Error>, isSecret: Bool) {
    guard let entry = state.withLock({ $0.entries[download] }) else { return }
    // The result is stored first, so that a call in between finds it or is among the readers.
    for key in Set(entry.readers.map(\.key)) where image == nil || key == image {
      store(result, key, entry.download, isSecret: isSecret)
    }
    let (readers, stopped) = state.withLock { state in
      let readers = (state.entries[download]?.readers ?? []).filter { image == nil || $0.key == image }
      if case .success(.file(let file)) = result {
        for reader in readers where reader.isView { state.files[reader.number] = file }
      }
      return (readers, state.remove(from: download) { image == nil || $0.key == image })
    }
    for reader in readers {
      limits.clock.didHop()
      reader.finish(result)
    }
    stopped?.stop()
  }

  private func store(
    _ result: Result<Loader.Event, any Error>, _ image: ImageKey, _ download: ImageDownload, isSecret: Bool
  ) {
    state.withLock { _ = $0.failed.remove(image) }
    switch result {
    case .success(.update(.finished(var loaded), _)):
      guard download.request.isCacheable, !isSecret else { return }
      loaded.source = .memory
      decoded.store(loaded, image, cost: image.download.memoryBytes + loaded.cost)
    case .success: break
    case .failure(let error):
      // Failures of local files are not stored, because reading a file again is cheap.
      guard (error as? WebP.LoadError)?.isForGood == true, image.download.call == nil,
        download.request.url?.isFileURL != true
      else { return }
      state.withLock { _ = $0.failed.store(error, image, cost: image.download.memoryBytes) }
    }
  }

  /// Starts a waiting download after the work of another one has ended.
  ///
  /// - Parameter file: the beginning of the file, if the download was canceled and can be resumed.
  func didStop(_ download: ImageDownload, _ file: PartialFile?) {
    state.withLock {
      if let file {
        _ = $0.partial.store(file, download.key, cost: download.key.memoryBytes + file.bytes.count)
      }
      $0.running.removeAll { $0 === download }
    }
    startNext()
  }

  /// Starts the first waiting download that the limits permit. Called after one was added or has stopped, so that the
  /// limits permit at most one more.
  private func startNext() {
    guard let (download, priority, partial) = state.withLock({ takeNext(&$0) }) else { return }
    download.start(priority: priority, continuing: partial)
  }

  private func takeNext(_ state: inout State) -> (ImageDownload, Loader.Options.Priority, PartialFile?)? {
    guard state.running.count < max(1, limits.maximumLoads) else { return nil }
    let hosts = Dictionary(state.running.compactMap(\.host).map { ($0, 1) }, uniquingKeysWith: +)
    let full = hosts.filter { $0.value >= max(1, limits.maximumLoadsPerHost) }
    let index = state.waiting.firstIndex {
      guard let download = state.entries[$0.number]?.download else { return false }
      return download.host.map { full[$0] == nil } ?? true && !state.running.contains { $0.key == download.key }
    }
    guard let next = index.map({ state.waiting.remove(at: $0) }), let download = state.entries[next.number]?.download
    else { return nil }
    state.running.append(download)
    return (download, next.priority, state.partial.remove(download.key))
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
