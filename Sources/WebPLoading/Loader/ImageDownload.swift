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
/// `begin` and `load` are the download. `load` only waits; everything else runs on `queue`.
///
/// The scheduler's queue owns `readers` and `keepsInMemoryOnly`, and calls `join`, `start` and `stop`. `queue` owns all
/// other variables. It may wait for the scheduler's queue, but not the other way around.
final class ImageDownload: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  /// The maximum number of responses that make up one file.
  private static let maximumParts = 20
  /// The maximum number of bytes that are allocated before they arrive. A server may specify any length.
  private static let maximumReservedBytes = 64 << 20

  /// The maximum number of bytes that wait for `queue` before the next ones are pulled.
  private static let maximumWaitingBytes = 256 << 10

  let key: DownloadKey
  let request: URLRequest
  /// The host of the request, in lower case. Nil for a file.
  let host: String?
  private(set) var keepsInMemoryOnly = false
  var readers: [ObjectIdentifier: ImageReader] = [:]

  private let queue = DispatchQueue(label: "WebPLoading.ImageDownload")
  private let scheduler: DownloadScheduler
  private let upstream: Upstream
  /// The request that is sent to the server.
  private var inner: URLRequest
  private let cached: CacheAccess
  /// Waits for the server or a file. Nil when no more bytes are needed.
  private var task: Task<Void, Never>?
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
      do { try self.begin(priority.ofTask) } catch { self.finish(nil, .failure(error)) }
    }
  }

  /// Stops the download after its last reader has left or was finished. When its work has ended, the scheduler can
  /// start another download.
  func stop() {
    queue.async {
      self.isStopped = true
      self.backgroundActivity = nil
      self.decodings = [:]
      if let task = self.task { task.cancel() } else { self.didStop() }
    }
  }
}

// MARK: Waiting

extension ImageDownload {
  private func wait(_ work: @escaping @Sendable () async throws -> Void) {
    task = Task {
      do {
        try await work()
      } catch {
        await queue.run {
          self.finish(nil, .failure(error))
          self.didReceiveAll()
        }
      }
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

  /// Loads the file from the server. Repeats the transfer after temporary failures while retries remain.
  ///
  /// - Parameters:
  ///   - inner: the request that is sent to the server.
  ///   - partial: the beginning of the file.
  private func load(_ inner: URLRequest, _ partial: PartialFile?, _ priority: Float) async throws {
    var (partial, retryCount) = (partial, 0)
    while true {
      do {
        return try await transfer(inner, partial, priority)
      } catch {
        let count = retryCount
        let retry = try await queue.run { try self.retry(error, count) }
        try await scheduler.limits.clock.sleep(seconds: retry.delay)
        (partial, retryCount) = (retry.partial, count + 1)
      }
    }
  }

  /// Loads the file from the server, in several parts if the server sends only parts of it.
  private func transfer(_ inner: URLRequest, _ partial: PartialFile?, _ priority: Float) async throws {
    var partial = partial
    for _ in 0..<Self.maximumParts {
      var transfer = try await upstream.send(
        partial?.resume(inner) ?? inner, minimumBytesPerSecond: scheduler.limits.minimumBytesPerSecond,
        priority: priority)
      let (head, isPrivate) = (transfer.response, transfer.isPrivate)
      if head.statusCode == 200 {
        // Neither awaited nor checked, because only other statuses have errors or a response without a body.
        queue.async { _ = try? self.receive(head, isPrivate: isPrivate) }
      } else {
        switch try await queue.run({ try self.receive(head, isPrivate: isPrivate) }) {
        case .isAnswered: return
        case .startsAgain:
          partial = nil
          continue
        case .hasBody: break
        }
      }
      transfer.limit = .image(maximumBytes: key.maximumBytes)
      let isPart = head.statusCode == 206
      if isPart, let partial { transfer.continueFile(after: partial.bytes) }
      var waitingCount = 0
      while let piece = try await transfer.next() {
        queue.async { self.receive(piece) }
        waitingCount += piece.count
        if waitingCount > Self.maximumWaitingBytes {
          await queue.run {}
          waitingCount = 0
        }
      }
      partial = await queue.run { self.completeBody(isPart: isPart) }
      if partial == nil { return }
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

  private typealias RequestedImage = (key: ImageKey, options: Loader.Options)

  private var isWanted: Bool { ask { !$0.isEmpty } }

  /// The images that readers wait for, each with the options of one of its readers.
  private func images() -> [RequestedImage] { ask { Self.images(of: $0) } }

  private static func images(of readers: some Sequence<ImageReader>) -> [RequestedImage] {
    var images: [RequestedImage] = []
    for reader in readers where !images.contains(where: { $0.key == reader.key }) {
      images.append((reader.key, reader.options))
    }
    return images
  }

  /// Delivers a result to the readers of `image`, or to all readers if `image` is nil.
  private func finish(_ image: ImageKey?, _ result: Result<Loader.Event, any Error>) {
    if let image { decodings[image] = nil }
    scheduler.end(self, image, result, isSecret: isSecret)
  }

  private func finish(_ image: ImageKey, _ loaded: Loader.Loaded) {
    finish(image, .success(.update(.finished(loaded), nil)))
  }

  /// Uses a file that needs no waiting, or begins to wait for it.
  private func begin(_ priority: Float) throws {
    if let file {
      receiveAll(file.bytes, file.source)
    } else if let url = request.url, url.isFileURL {
      wait {
        let file = try await self.read(url)
        await self.queue.run { self.receiveAll(file) }
      }
    } else if let url = request.url, url.isData {
      let file = try Data(dataURL: url)
      guard file.count <= key.maximumBytes else { throw URLError.longerThan(key.maximumBytes) }
      receiveAll(file)
    } else if inner.url?.isHTTP != true {
      throw URLError.unsupportedScheme
    } else if let entry = try cached.begin(&inner) {
      receiveAll(entry.body)
    } else {
      sendCachedImages()
      wait { [inner, partial] in try await self.load(inner, partial, priority) }
    }
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

  /// Delivers images from the cache to readers whose options set `refreshesCached`, while the server is asked.
  private func sendCachedImages() {
    guard let entry = cached.entry else { return }
    for (image, options) in ask({ Self.images(of: $0.filter(\.wantsCachedImage)) }) {
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

  /// Prepares another transfer after an error.
  ///
  /// - Returns: the beginning of the file, and the number of seconds until the transfer.
  /// - Throws: the error, if the transfer is not repeated.
  private func retry(_ error: any Error, _ retryCount: Int) throws -> (partial: PartialFile?, delay: Double) {
    let options = ask { $0.map(\.options).max { $0.maximumRetries < $1.maximumRetries } }
    guard let options, retryCount < options.maximumRetries, request.isGET, (error as? URLError)?.isTemporary == true
    else { throw error }
    restart(received ?? partial)
    return (partial, options.retryDelay * Double(1 << min(retryCount, 20)))
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
    let (images, reports) = ask { (Self.images(of: $0), $0.compactMap(\.options.onProgress)) }
    for (image, options) in images { advance(image, options) }
    if reports.isEmpty { return }
    let progress = Loader.ByteProgress(receivedBytes: bytes.count, expectedBytes: response?.bodyLength)
    for report in reports { report(progress) }
  }

  /// Completes the images at the end of a body.
  ///
  /// - Parameter isPart: whether the body is a part of the file.
  /// - Returns: the beginning of the file if another request must continue it.
  private func completeBody(isPart: Bool) -> PartialFile? {
    if isPart, let length = response?.bodyLength, bytes.count < length, let received {
      partial = received
      return received
    }
    complete(source: .network)
    return nil
  }

  /// Called when the server or the file system is not needed any more.
  private func didReceiveAll() {
    task = nil
    if isStopped { didStop() }
  }

  private func didStop() { scheduler.didStop(self, source == nil && !isSecret ? received : nil) }
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
    if let decoding = decodings[image] { return decoding }
    let file = source == nil ? nil : bytes
    let decoding = ImageDecoding(options: options.decoding, isUpright: options.isUpright, file: file)
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
      while try decoding.decodePiece(bytes), isWanted {}
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
    didReceiveAll()
  }

  private func complete(_ image: ImageKey, _ options: Loader.Options) {
    guard let source, ask({ $0.contains { $0.key == image } }) else { return }
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
      while try decoding.decodePiece(bytes), isWanted {}
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
