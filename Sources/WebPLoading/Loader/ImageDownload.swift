import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download of an image loader, and the images that are decoded from it.
///
///     the server or the cache ──▶ bytes ─┬─▶ ImageDecoding ──▶ the readers of one size
///                                        └─▶ ImageDecoding ──▶ the readers of another size
///
/// `run` is the download from its beginning to its end. It only waits; everything else runs on `queue`.
///
/// The scheduler's queue owns `readers`, `keepsInMemoryOnly` and `task`, and calls `join`, `start` and `stop`.
/// `queue` owns all other variables. It may wait for the scheduler's queue, but not the other way around.
final class ImageDownload: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  /// The maximum number of responses that make up one file.
  private static let maximumParts = 20
  /// The maximum number of bytes that are allocated before they arrive. A server may specify any length.
  private static let maximumReservedBytes = 64 << 20

  let key: DownloadKey
  let request: URLRequest
  /// The host of the request, in lower case. Nil for a file.
  let host: String?
  private(set) var keepsInMemoryOnly = false
  var readers: [ObjectIdentifier: ImageReader] = [:]
  private var task: Task<Void, Never>?

  private let queue = DispatchQueue(label: "WebPLoading.ImageDownload")
  private let scheduler: DownloadScheduler
  private let upstream: Upstream
  /// The request that is sent to the server.
  private var inner: URLRequest
  private let cached: CacheAccess
  private var backgroundActivity: BackgroundActivity?
  /// The response with status 200.
  private var response: HTTPURLResponse?
  private var bytes = Data()
  /// The beginning of the file from a canceled or incomplete download.
  private var partial: PartialFile?
  /// The file, if the first reader has it.
  private let file: Loader.File?
  /// The source of `bytes`. Nil until they are complete.
  private var source: Loader.Loaded.Source?
  /// Indicates whether the file was passed to the cache.
  private var isStored = false
  private var isStopped = false
  private var decodings: [ImageKey: ImageDecoding] = [:]
  /// Images from the cache that were delivered before the server was asked. If it confirms them, they are the result.
  private var cachedImages: [ImageKey: Loader.Loaded] = [:]
  /// Indicates whether the server forbids storing its response.
  private var isSecret = false

  /// Creates a download with its first reader. Called on the scheduler's queue.
  init(
    _ request: URLRequest, _ reader: ImageReader, _ key: DownloadKey, _ scheduler: DownloadScheduler,
    _ file: Loader.File? = nil
  ) {
    self.request = request
    self.file = file
    host = request.url?.host?.lowercased()
    self.key = key
    self.scheduler = scheduler
    upstream = scheduler.upstream(for: key.session)
    inner = request.innerForImage
    inner.httpShouldHandleCookies = key.session.handlesCookies
    cached = CacheAccess(
      scheduler.cache, .original, upstream.completed(inner), upstream.partition, keyURL: key.url)
    add(reader)
  }

  private func add(_ reader: ImageReader) {
    reader.download = self
    readers[ObjectIdentifier(reader)] = reader
    if reader.options.keepsInMemoryOnly { keepsInMemoryOnly = true }
  }

  /// Adds a reader while the download waits or runs.
  func join(_ reader: ImageReader) {
    add(reader)
    let (image, options) = (reader.key, reader.options)
    queue.async {
      self.continueInBackground()
      if let decoding = self.decodings[image], let (update, info) = decoding.placeholder {
        self.scheduler.send(update, info, to: reader, of: self)
      }
      if self.source == nil { self.advance(image, options) } else { self.complete(image, options) }
    }
  }

  /// The highest priority of the readers.
  var priority: Loader.Options.Priority { readers.values.lazy.map(\.options.priority).max() ?? .normal }

  /// - Parameter partial: the beginning of the file from an earlier download.
  func start(priority: Loader.Options.Priority, continuing partial: PartialFile?) {
    queue.async {
      self.partial = partial
      if partial?.isPrivate == true { self.cached.isPrivate = true }
      self.continueInBackground()
    }
    task = Task { await run(priority.ofTask) }
  }

  /// Stops the download after its last reader has left or was finished. When its work has ended, the scheduler can
  /// start another download.
  func stop() {
    // Not on the scheduler's queue, because a transport may have a handler for cancellation.
    Task { [task] in
      task?.cancel()
      await task?.value
      let file = await queue.run {
        self.isStopped = true
        self.backgroundActivity = nil
        self.decodings = [:]
        return self.source == nil && !self.isSecret ? self.received : nil
      }
      scheduler.didStop(self, file)
    }
  }
}

// MARK: The download

extension ImageDownload {
  private func run(_ priority: Float) async {
    do {
      if let file {
        await queue.run { self.receiveAll(file.bytes, file.source) }
      } else if let url = request.url, url.isFileURL {
        let file = try await read(url)
        await queue.run { self.receiveAll(file) }
      } else if let url = request.url, url.isData {
        try await queue.run {
          let file = try Data(dataURL: url)
          guard file.count <= self.key.maximumBytes else { throw URLError.longerThan(self.key.maximumBytes) }
          self.receiveAll(file)
        }
      } else if inner.url?.isHTTP == true {
        guard try await queue.run({ try self.beginTransfer() }) else { return }
        try await transferWithRetries(priority)
      } else {
        throw URLError.unsupportedScheme
      }
    } catch {
      await queue.run { self.finish(nil, .failure(error)) }
    }
  }

  private func read(_ file: URL) async throws -> Data {
    do {
      return try await Data(
        waitingForFile: file, maximumBytes: key.maximumBytes, read: scheduler.limits.readFile)
    } catch let error as POSIXError {
      throw URLError(.fileDoesNotExist, error.localizedDescription, url: file, cause: error)
    }
  }

  /// Repeats the transfer after temporary failures while retries remain.
  private func transferWithRetries(_ priority: Float) async throws {
    var retryCount = 0
    while true {
      do {
        return try await transfer(priority)
      } catch {
        let options = await queue.run {
          self.ask { $0.map(\.options).max { $0.maximumRetries < $1.maximumRetries } }
        }
        guard let options, retryCount < options.maximumRetries, request.isGET,
          (error as? URLError)?.isTemporary == true
        else { throw error }
        await queue.run { self.restart(self.received ?? self.partial) }
        try await scheduler.limits.clock.sleep(seconds: options.retryDelay * Double(1 << min(retryCount, 20)))
        retryCount += 1
      }
    }
  }

  /// Loads the file from the server, in several parts if the server sends only parts of it.
  private func transfer(_ priority: Float) async throws {
    for _ in 0..<Self.maximumParts {
      let (request, partial) = await queue.run { (self.partial?.resume(self.inner) ?? self.inner, self.partial) }
      var transfer = try await upstream.send(
        request, minimumBytesPerSecond: scheduler.limits.minimumBytesPerSecond, priority: priority)
      let (head, isPrivate) = (transfer.response, transfer.isPrivate)
      switch try await queue.run({ try self.receive(head, isPrivate: isPrivate) }) {
      case .isAnswered: return
      case .startsAgain: continue
      case .hasBody: break
      }
      transfer.limit = .image(maximumBytes: key.maximumBytes)
      if head.statusCode == 206, let partial { transfer.continueFile(after: partial.bytes) }
      while let piece = try await transfer.next() { await queue.run { self.receive(piece) } }
      if await queue.run({ self.completeBody(isPart: head.statusCode == 206) }) { return }
    }
    throw URLError(.badServerResponse, "the server sends more than \(Self.maximumParts) parts", url: request.url)
  }
}

// MARK: Called on `queue`

extension ImageDownload {
  /// Returns an answer of the scheduler's queue about the readers.
  private func ask<Answer>(_ question: (Dictionary<ObjectIdentifier, ImageReader>.Values) -> Answer) -> Answer {
    scheduler.queue.sync { question(readers.values) }
  }

  private var isWanted: Bool { ask { !$0.isEmpty } }

  /// The images that readers wait for, each with the options of one of its readers.
  private func images(
    where isIncluded: (ImageReader) -> Bool = { _ in true }
  ) -> [ImageKey: Loader.Options] {
    ask { readers in readers.reduce(into: [:]) { if isIncluded($1) { $0[$1.key] = $1.options } } }
  }

  /// Delivers a result to the readers of `image`, or to all readers if `image` is nil.
  private func finish(_ image: ImageKey?, _ result: Result<Loader.Event, any Error>) {
    if let image { decodings[image] = nil }
    scheduler.end(self, image, result, isSecret: isSecret)
  }

  private func finish(_ image: ImageKey, _ loaded: Loader.Loaded) {
    finish(image, .success(.update(.finished(loaded), nil)))
  }

  /// Begins an activity in the background, if a reader requests it. When the time is over, the download is canceled.
  private func continueInBackground() {
    guard !isStopped, backgroundActivity == nil, ask({ $0.contains { $0.options.continuesInBackground } })
    else { return }
    backgroundActivity = BackgroundActivity(scheduler.limits.perform) { [weak self] in
      guard let self else { return }
      self.queue.async { self.finish(nil, .failure(URLError(.cancelled, "the time in the background is over"))) }
    }
  }

  /// Looks up the request in the cache.
  ///
  /// - Returns: whether the server must be asked.
  private func beginTransfer() throws -> Bool {
    if let entry = try cached.begin(&inner) {
      receiveAll(entry.body)
      return false
    }
    sendCachedImages()
    return true
  }

  /// Delivers images from the cache to readers whose options set `refreshesCached`, while the server is asked.
  private func sendCachedImages() {
    guard let entry = cached.entry else { return }
    for (image, options) in images(where: \.wantsCachedImage) {
      guard let decoding = image.decoding else { continue }
      let file = ImageDecoding(options: decoding, isUpright: image.isUpright, file: entry.body)
      guard let loaded = try? decode(entry.body, file, options, .cache) else { continue }
      cachedImages[image] = loaded
      scheduler.send(.cached(loaded), nil, image, of: self)
    }
  }

  /// The file so far, if another request can continue it.
  private var received: PartialFile? {
    response.flatMap { PartialFile(bytes, $0, of: request, isPrivate: cached.isPrivate) }
  }

  private func restart(_ partial: PartialFile?) {
    (self.partial, bytes, response, decodings) = (partial, Data(), nil, [:])
  }

  private enum ResponseUse { case hasBody, isAnswered, startsAgain }

  private func receive(_ head: HTTPURLResponse, isPrivate: Bool) throws -> ResponseUse {
    isSecret = head.cacheControl.forbidsStoring
    if let entry = cached.receive(head, isPrivate: isPrivate, onlyInMemory: ask { _ in keepsInMemoryOnly }) {
      receiveAll(entry.body)
      return .isAnswered
    }
    if request.mayHaveChangedURL(answered: head) { scheduler.forget(key.url) }
    let resumed = partial
    partial = nil
    if let resumed, [206, 304, 412, 416].contains(head.statusCode) {
      // If the server does not continue the same file, it is loaded from its beginning.
      guard let combined = resumed.combined(with: head) else {
        restart(nil)
        return .startsAgain
      }
      // The decodings of an earlier part continue.
      if bytes.isEmpty { bytes = resumed.bytes }
      response = combined
      return .hasBody
    }
    guard head.statusCode == 200 else { throw URLError(status: head.statusCode, url: request.url) }
    restart(nil)
    response = head
    // Growing would copy a large file several times.
    bytes.reserveCapacity(min(head.bodyLength ?? 0, key.maximumBytes, Self.maximumReservedBytes))
    return .hasBody
  }

  private func receive(_ data: Data) {
    bytes.append(data)
    for (image, options) in images() { advance(image, options) }
    let progress = Loader.ByteProgress(receivedBytes: bytes.count, expectedBytes: response?.bodyLength)
    for report in ask({ $0.compactMap(\.options.onProgress) }) { report(progress) }
  }

  /// Completes the images at the end of a body.
  ///
  /// - Parameter isPart: whether the body is a part of the file.
  /// - Returns: false if another request must continue the file.
  private func completeBody(isPart: Bool) -> Bool {
    if isPart, let length = response?.bodyLength, bytes.count < length, let received {
      partial = received
      return false
    }
    complete(source: .network)
    return true
  }
}

// MARK: Decoding

extension ImageDownload {
  /// Uses a file that did not arrive from a server.
  private func receiveAll(_ file: Data, _ source: Loader.Loaded.Source = .cache) {
    bytes = file
    self.source = source
    for (image, options) in images() { advance(image, options) }
    complete(source: source)
  }

  /// The decoding of an image. If only the file is requested, it only reads the headers.
  private func decoding(_ image: ImageKey, _ options: Loader.Options) -> ImageDecoding {
    let file = source == nil ? nil : bytes
    let decoding =
      decodings[image] ?? ImageDecoding(options: options.decoding, isUpright: options.isUpright, file: file)
    decodings[image] = decoding
    return decoding
  }

  /// Decodes as much of an image as the bytes permit, and sends the placeholder to its readers. Rows are sent only
  /// while the file arrives from a server: a view fades them in.
  private func advance(_ image: ImageKey, _ options: Loader.Options) {
    guard !bytes.isEmpty else { return }
    let decoding = decoding(image, options)
    do {
      // If the options are invalid for this image, there is no placeholder, and decoding throws the error.
      if try decoding.readHeaders(bytes) != nil, let (update, info) = decoding.placeholder {
        scheduler.send(update, info, image, of: self)
      }
      guard image.decoding != nil else { return }
      while isWanted, try decoding.decodePiece(bytes) {}
      if source == nil, options.transform == nil, ask({ $0.contains { $0.key == image && $0.wantsRows } }),
        let (partial, rows) = decoding.newRows()
      {
        scheduler.send(.rows(partial, finished: rows), decoding.info, image, of: self)
      }
    } catch {
      if image.decoding != nil { fail(image, error) }  // a file may have any format
    }
  }

  private func complete(source: Loader.Loaded.Source) {
    self.source = source
    for (image, options) in images() { complete(image, options) }
  }

  private func complete(_ image: ImageKey, _ options: Loader.Options) {
    guard let source, images()[image] != nil else { return }
    if source == .cache, let loaded = cachedImages[image] { return finish(image, loaded) }
    guard image.decoding != nil else {
      let end = bytes.riffEnd
      if source == .network, let end, end > bytes.count {
        return finish(image, .failure(URLError.truncated(bytes.count, of: end)))
      }
      // A page is not stored.
      if end != nil || response?.isOtherImage == true { store() }
      return finish(image, .success(.file(Loader.File(bytes: bytes, source: source))))
    }
    let decoding = decoding(image, options)
    do {
      while isWanted, try decoding.decodePiece(bytes) {}
      let loaded = try decode(bytes, decoding, options, source)
      finish(image, loaded)
    } catch let error as WebP.DecodeError {
      fail(image, error)
    } catch {
      finish(image, .failure(error))
    }
  }

  /// Completes a decoding, stores the file in the cache, and applies the transform.
  private func decode(
    _ bytes: Data, _ decoding: ImageDecoding, _ options: Loader.Options, _ source: Loader.Loaded.Source
  ) throws -> Loader.Loaded {
    let file = try decoding.finish(bytes)
    if !isWanted { throw CancellationError() }
    if source == .network { store() }
    return Loader.Loaded(
      image: try options.transform?.apply(file.image) ?? file.image,
      animation: file.animation.map {
        Loader.LoadedAnimation(source: $0, orientation: file.orientation, transform: options.transform)
      },
      metadata: file.metadata, source: source, fullSize: file.fullSize, density: file.density,
      animationBytes: file.animation == nil ? 0 : bytes.count)
  }

  /// Stores a file from the server in the cache.
  private func store() {
    guard let response, !isStored else { return }
    isStored = true
    cached.keep(bytes, of: response, onlyInMemory: ask { _ in keepsInMemoryOnly })
  }

  private func fail(_ image: ImageKey, _ error: WebP.DecodeError) {
    let error = WebP.ConversionError.decoding(error)
    if error.isCausedByImage {
      // An entry that `data(for:)` stored may not be decodable.
      if let response { cached.removeOlder(than: response) } else { cached.removeEntry() }
    }
    finish(image, .failure(URLError(error, url: request.url)))
  }
}

extension WebP.ImageLoader.Options.Priority {
  fileprivate var ofTask: Float {
    switch self {
    case .low: URLSessionTask.lowPriority
    case .normal: URLSessionTask.defaultPriority
    case .high: URLSessionTask.highPriority
    }
  }
}
