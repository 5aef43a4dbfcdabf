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
/// The coordinator's queue owns `readers` and `keepsInMemoryOnly`, and calls `join` and `stop`. `queue` owns all other
/// variables. It may wait for the coordinator's queue, but not the other way around.
final class ImageDownload: UpstreamLoad, @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  let queue = DispatchQueue(label: "WebPLoading.ImageDownload")
  let key: DownloadKey
  let request: URLRequest
  /// The host of the request, in lower case. Nil for a file.
  let host: String?
  var minimumBytesPerSecond: Int { coordinator.limits.minimumBytesPerSecond }
  private(set) var keepsInMemoryOnly = false
  var readers: [ObjectIdentifier: ImageReader] = [:]

  private let coordinator: LoadCoordinator
  private let session: UpstreamSession
  /// The request that is sent to the server.
  private var inner: URLRequest
  /// The cache operations of this download. Nil if the loader has no cache.
  private var cached: CachedLoad?
  private var transfer: UpstreamTransfer?
  private var backgroundActivity: BackgroundActivity?
  private var retryCount = 0
  /// The response with status 200.
  private var response: HTTPURLResponse?
  private var bytes = Data()
  /// The beginning of the file from a canceled download.
  private var partial: PartialFile?
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

  /// Creates a download with its first reader. Called on the coordinator's queue.
  init(
    _ request: URLRequest, _ reader: ImageReader, _ key: DownloadKey, _ coordinator: LoadCoordinator,
    _ partial: PartialFile? = nil
  ) {
    self.request = request
    self.partial = partial
    host = request.url?.host?.lowercased()
    self.key = key
    self.coordinator = coordinator
    session = coordinator.session(for: key.session)
    inner = request.inner
    inner.httpShouldHandleCookies = key.session.handlesCookies
    cached = coordinator.cache.map { CachedLoad($0, .original, session.completed(inner), keyURL: key.url) }
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
      if self.source == nil { self.advance(image, options) } else { self.complete(image, options) }
    }
  }

  /// The highest priority of the readers.
  var priority: Loader.Options.Priority { readers.values.map(\.options.priority).max() ?? .normal }

  func start(priority: Loader.Options.Priority) { queue.async { self.begin(priority) } }

  /// Stops the download after its last reader has left or was finished. When the work in progress on `queue` has ended,
  /// the coordinator can start another download.
  func stop() {
    queue.async {
      self.isStopped = true
      self.transfer?.cancel()
      self.transfer = nil
      self.backgroundActivity = nil
      self.decodings = [:]
      self.coordinator.didStop(self, self.source == nil && !self.isSecret ? self.received : nil)
    }
  }
}

// MARK: Called on `queue`

extension ImageDownload {
  /// Returns an answer of the coordinator's queue about the readers.
  private func ask<Answer>(_ question: (Dictionary<ObjectIdentifier, ImageReader>.Values) -> Answer) -> Answer {
    coordinator.queue.sync { question(readers.values) }
  }

  private var isWanted: Bool { ask { !$0.isEmpty } }

  /// The images that readers wait for, each with the options of one of its readers.
  private func images(
    where isIncluded: (ImageReader) -> Bool = { _ in true }
  ) -> [ImageKey: Loader.Options] {
    ask { readers in readers.reduce(into: [:]) { if isIncluded($1) { $0[$1.key] = $1.options } } }
  }

  /// Delivers a result to the readers of `image`, or to all readers if `image` is nil.
  private func finish(_ image: ImageKey?, _ result: Result<ImageReader.Event, any Error>) {
    if let image { decodings[image] = nil }
    coordinator.end(self, image, result, isSecret: isSecret)
  }

  private func begin(_ priority: Loader.Options.Priority) {
    if isStopped { return }
    continueInBackground()
    do {
      if let url = inner.url, url.isFileURL {
        receiveAll(try Data(file: url, maximumBytes: key.maximumBytes))
      } else if let url = inner.url, url.isData {
        let file = try Data(dataURL: url)
        guard file.count <= key.maximumBytes else { throw URLError.longerThan(key.maximumBytes) }
        receiveAll(file)
      } else if inner.url?.isHTTP != true {
        throw URLError.unsupportedScheme
      } else if let entry = try cached?.begin(&inner) {
        receiveAll(entry.body)
      } else {
        startTransfer(priority)
        sendCachedImages()
      }
    } catch {
      finish(nil, .failure(error as? URLError ?? URLError(.fileDoesNotExist, error.localizedDescription)))
    }
  }

  /// Begins an activity in the background, if a reader requests it. When the time is over, the download is canceled.
  private func continueInBackground() {
    guard !isStopped, backgroundActivity == nil, ask({ $0.contains { $0.options.continuesInBackground } })
    else { return }
    backgroundActivity = BackgroundActivity(coordinator.limits.perform) { [weak self] in
      guard let self else { return }
      self.queue.async { self.finish(nil, .failure(URLError(.cancelled, "the time in the background is over"))) }
    }
  }

  private func startTransfer(_ priority: Loader.Options.Priority) {
    transfer = session.start(partial?.resume(inner) ?? inner, priority: priority.ofTask, for: self)
  }

  /// The file so far, if another request can continue it.
  private var received: PartialFile? { response.flatMap { PartialFile(bytes, $0, of: request) } }

  /// Repeats the request if the failure is temporary and retries remain. Otherwise fails with `error`.
  private func retryOrFail(_ error: any Error) {
    transfer?.cancel()
    transfer = nil
    let options = ask { $0.map(\.options).max { $0.maximumRetries < $1.maximumRetries } }
    guard let options, retryCount < options.maximumRetries, request.isGET, (error as? URLError)?.isTemporary == true
    else { return finish(nil, .failure(error)) }
    let seconds = options.retryDelay * Double(1 << min(retryCount, 20))
    retryCount += 1
    partial = received ?? partial
    (bytes, response, decodings) = (Data(), nil, [:])
    queue.asyncAfter(deadline: .now() + seconds) { if !self.isStopped { self.startTransfer(.normal) } }
  }

  /// Delivers images from the cache to readers whose options set `refreshesCached`, while the server is asked.
  private func sendCachedImages() {
    guard let entry = cached?.entry else { return }
    for (image, options) in images(where: \.wantsCachedImage) {
      guard let decoding = image.decoding,
        let loaded = try? decode(entry.body, ImageDecoding(options: decoding), options, .cache)
      else { continue }
      cachedImages[image] = loaded
      coordinator.send(.cached(loaded), image, of: self)
    }
  }
}

// MARK: Events of the transfer

extension ImageDownload {
  func bodyLimit(for response: URLResponse) -> BodyLimit {
    let isPartial = (response as? HTTPURLResponse)?.statusCode == 206
    return isPartial ? .bytes(key.maximumBytes) : .image(maximumBytes: key.maximumBytes)
  }

  func didReceive(_ response: URLResponse) {
    guard let http = response as? HTTPURLResponse else {
      finish(nil, .failure(URLError(.badServerResponse, "the response is not an HTTP response")))
      return
    }
    isSecret = http.cacheControl.forbidsStoring
    if let entry = cached?.receive(http, onlyInMemory: ask { _ in keepsInMemoryOnly }) { return receiveAll(entry.body) }
    if request.mayHaveChangedURL(answered: http) { coordinator.forget(key.url) }
    let resumed = partial
    partial = nil
    if let resumed, http.statusCode == 206 || http.statusCode == 416 {
      // If the server does not continue the same file, it is loaded from its beginning.
      guard let combined = resumed.combined(with: http) else {
        transfer?.cancel()
        startTransfer(.normal)
        return
      }
      (bytes, self.response) = (resumed.bytes, combined)
      return
    }
    guard http.statusCode == 200 else { return retryOrFail(URLError(status: http.statusCode, url: request.url)) }
    self.response = http
  }

  func didReceive(_ data: Data) {
    bytes.append(data)
    // The transfer does not count the bytes of an earlier one.
    if bytes.count > key.maximumBytes { return finish(nil, .failure(URLError.longerThan(key.maximumBytes))) }
    for (image, options) in images() { advance(image, options) }
    let length = response.map { Int($0.expectedContentLength) } ?? -1
    let progress = Loader.ByteProgress(receivedBytes: bytes.count, expectedBytes: length < 0 ? nil : length)
    for report in ask({ $0.compactMap(\.options.onProgress) }) { report(progress) }
  }

  func didComplete(_ error: (any Error)?) {
    if let error { return retryOrFail(error) }
    transfer = nil
    complete(source: .network)
  }
}

// MARK: Decoding

extension ImageDownload {
  /// Uses a file that did not arrive from a server.
  private func receiveAll(_ file: Data) {
    bytes = file
    source = .cache
    for (image, options) in images() { advance(image, options) }
    complete(source: .cache)
  }

  /// The decoding of an image. Nil if only the file is requested.
  private func decoding(_ image: ImageKey) -> ImageDecoding? {
    guard let options = image.decoding else { return nil }
    let decoding = decodings[image] ?? ImageDecoding(options: options)
    decodings[image] = decoding
    return decoding
  }

  /// Decodes as much of an image as the bytes permit, and sends the placeholder to its readers. Rows are sent only
  /// while the file arrives from a server: a view fades them in.
  private func advance(_ image: ImageKey, _ options: Loader.Options) {
    guard !bytes.isEmpty, let decoding = decoding(image) else { return }
    do {
      // `outputSize` throws if the options are invalid for this image. This error is ignored, because decoding throws
      // it too.
      if let info = try decoding.readHeaders(bytes), let size = try? options.decoding.outputSize(for: info) {
        coordinator.send(.placeholder(info, width: size.width, height: size.height), image, of: self)
      }
      while isWanted, try decoding.decodePiece(bytes) {}
      if source == nil, options.transform == nil, ask({ $0.contains { $0.key == image && $0.wantsRows } }),
        let (partial, rows) = decoding.newRows()
      {
        coordinator.send(.rows(partial, rows), image, of: self)
      }
    } catch {
      fail(image, error)
    }
  }

  private func complete(source: Loader.Loaded.Source) {
    self.source = source
    for (image, options) in images() { complete(image, options) }
  }

  private func complete(_ image: ImageKey, _ options: Loader.Options) {
    guard let source, images()[image] != nil else { return }
    if source == .cache, let loaded = cachedImages[image] { return finish(image, .success(.update(.finished(loaded)))) }
    guard let decoding = decoding(image) else {
      // A truncated WebP and a page are not stored.
      if bytes.riffEnd.map({ $0 <= bytes.count }) ?? (response?.isOtherImage == true) { store() }
      return finish(image, .success(.file(bytes)))
    }
    do {
      while isWanted, try decoding.decodePiece(bytes) {}
      let loaded = try decode(bytes, decoding, options, source)
      finish(image, .success(.update(.finished(loaded))))
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
    let (image, animation) = try decoding.finish(bytes)
    if !isWanted { throw CancellationError() }
    if source == .network { store() }
    return Loader.Loaded(
      image: try options.transform?.apply(image) ?? image,
      animation: animation.map { Loader.LoadedAnimation(source: $0, transform: options.transform) },
      metadata: WebP.metadata(bytes, limits: options.decoding.limits), source: source, info: try? WebP.info(bytes),
      animationBytes: animation == nil ? 0 : bytes.count)
  }

  /// Stores a file from the server in the cache.
  private func store() {
    guard let response, !isStored else { return }
    isStored = true
    cached?.keep(bytes, of: response, onlyInMemory: ask { _ in keepsInMemoryOnly })
  }

  private func fail(_ image: ImageKey, _ error: WebP.DecodeError) {
    let error = WebP.ConversionError.decoding(error)
    if error.isCausedByImage {
      // An entry that `data(for:)` stored may not be decodable.
      if let response { cached?.removeOlder(than: response) } else { cached?.removeEntry() }
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
