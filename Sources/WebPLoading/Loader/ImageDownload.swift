import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One download of an image loader, and the images that are decoded from it.
///
///     the server or the cache ──▶ bytes ─┬─▶ ImageDecoding ──▶ the readers of one size
///                                        └─▶ ImageDecoding ──▶ the readers of another size
///
/// A reader is added or removed only while the coordinator's lock is held. All other state is used on `queue`.
final class ImageDownload: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader

  let queue = DispatchQueue(label: "WebPLoading.ImageDownload")
  let key: DownloadKey
  let request: URLRequest
  /// The host of the request, in lower case. Nil for a file.
  let host: String?
  let minimumBytesPerSecond: Int
  let readers = ImageReaders()
  var priority: Loader.Options.Priority { readers.highestPriority }

  private let coordinator: LoadCoordinator
  private let session: UpstreamSession
  /// The request that is sent to the server.
  private var inner: URLRequest
  /// The cache operations of this download. Nil if the loader has no cache.
  private var cached: CachedLoad?
  private var task: URLSessionTask?
  private var backgroundActivity: BackgroundActivity?
  /// The number of retries so far, which also identifies the current attempt.
  private(set) var retryCount = 0
  private var response: HTTPURLResponse?
  private var bytes = Data()
  /// The source of `bytes`. Nil until they are complete.
  private var source: Loader.Loaded.Source?
  /// Indicates whether the file was passed to the cache.
  private var isStored = false
  private var decodings: [ImageKey: ImageDecoding] = [:]
  /// Images from the cache that were delivered before the server was asked. If it confirms them, they are the result.
  private var cachedImages: [ImageKey: Loader.Loaded] = [:]
  /// Indicates whether the server forbids storing its response.
  private(set) var isSecret = false

  init(_ request: URLRequest, _ options: Loader.Options, _ key: DownloadKey, _ coordinator: LoadCoordinator) {
    self.request = request
    host = request.url?.host?.lowercased()
    self.key = key
    self.coordinator = coordinator
    minimumBytesPerSecond = coordinator.minimumBytesPerSecond
    let session = coordinator.session(for: options)
    self.session = session
    var inner = request.inner
    inner.httpShouldHandleCookies = options.handlesCookies
    self.inner = inner
    cached = coordinator.cache.map { CachedLoad($0, .original, session.completed(inner), keyURL: key.url) }
  }

  func start(priority: Loader.Options.Priority) { queue.async { self.begin(priority) } }

  /// Decodes an image for a reader that joined a download in progress.
  func join(_ image: ImageKey) {
    queue.async {
      guard let options = self.readers.images[image] else { return }
      if self.source == nil { self.advance(image, options) } else { self.complete(image, options) }
    }
  }

  /// Stops the download after its last reader has left. When the work in progress on `queue` has ended, the coordinator
  /// can start another download.
  func cancel() {
    queue.async {
      self.stop()
      self.coordinator.didStop(self)
    }
  }

  private func stop() {
    task?.cancel()
    task = nil
    backgroundActivity = nil
    decodings = [:]
  }

  /// Delivers a result to the readers of `image`, or to all readers if `image` is nil.
  private func finish(_ image: ImageKey?, _ result: Result<Loader.Loaded, any Error>) {
    // The coordinator is updated first. If a reader then requests the image again, it gets the decoded image or a new
    // download instead of joining this one.
    let finished = coordinator.end(self, image, result)
    if readers.isEmpty { stop() }
    for reader in finished { reader.finish(result) }
  }

  private func begin(_ priority: Loader.Options.Priority) {
    if readers.isEmpty { return }
    if readers.continueInBackground { backgroundActivity = BackgroundActivity() }
    if let url = inner.url, url.isFileURL {
      loadFile(url)
      return
    }
    guard inner.url?.isHTTP == true else {
      finish(nil, .failure(URLError.otherThanHTTP))
      return
    }
    do {
      if let entry = try cached?.begin(&inner) {
        use(entry)
      } else {
        startTask(priority)
        sendCachedImages()
      }
    } catch {
      finish(nil, .failure(error))
    }
  }

  private func startTask(_ priority: Loader.Options.Priority) {
    task = session.start(inner, priority: priority.ofTask, for: DownloadAttempt(self, number: retryCount))
  }

  /// Repeats the request if the failure is temporary and retries remain. Otherwise fails with `error`.
  private func retryOrFail(_ error: any Error) {
    task?.cancel()
    task = nil
    let (maximum, delay) = readers.retries
    guard retryCount < maximum, request.isGET, (error as? URLError)?.isTemporary == true else {
      finish(nil, .failure(error))
      return
    }
    let seconds = delay * Double(1 << min(retryCount, 20))
    retryCount += 1
    (bytes, response, decodings) = (Data(), nil, [:])
    queue.asyncAfter(deadline: .now() + seconds) {
      if !self.readers.isEmpty { self.startTask(.normal) }
    }
  }

  private func loadFile(_ url: URL) {
    do {
      append(try Data(file: url, maximumBytes: key.maximumBytes))
      complete(source: .cache)
    } catch {
      finish(nil, .failure(error as? URLError ?? URLError(.fileDoesNotExist, error.localizedDescription)))
    }
  }

  private func use(_ entry: WebP.ImageCache.Entry) {
    append(entry.body)
    complete(source: .cache)
  }

  /// Delivers images from the cache to readers whose options set `refreshesCached`, while the server is asked.
  private func sendCachedImages() {
    let images = readers.imagesToRefresh
    guard !images.isEmpty, let entry = cached?.entry else { return }
    for (image, options) in images {
      guard let loaded = try? decode(entry.body, ImageDecoding(options: options.decoding), options, .cache) else {
        continue
      }
      cachedImages[image] = loaded
      readers.sendCached(loaded, image)
    }
  }
}

// MARK: Events of the transfer

extension ImageDownload {
  func bodyLimit(for response: URLResponse) -> BodyLimit { .image(maximumBytes: key.maximumBytes) }

  func didReceive(_ response: URLResponse) {
    if readers.isEmpty { return }
    guard let http = response as? HTTPURLResponse else {
      finish(nil, .failure(URLError(.badServerResponse, "the response is not an HTTP response")))
      return
    }
    isSecret = http.cacheControl.forbidsStoring
    if let entry = cached?.receive(http, onlyInMemory: readers.keepInMemoryOnly) {
      use(entry)
      return
    }
    if request.mayHaveChangedURL(answered: http) { coordinator.forget(key.url) }
    guard http.statusCode == 200 else {
      retryOrFail(URLError(status: http.statusCode, url: request.url))
      return
    }
    self.response = http
  }

  func didReceive(_ data: Data) {
    if readers.isEmpty { return }
    append(data)
    readers.report(.init(receivedBytes: bytes.count, expectedBytes: expectedBytes))
  }

  func didComplete(_ error: (any Error)?) {
    if readers.isEmpty { return }
    if let error {
      retryOrFail(error)
    } else {
      task = nil
      complete(source: .network)
    }
  }
}

// MARK: Decoding

extension ImageDownload {
  private func append(_ data: Data) {
    bytes.append(data)
    for (image, options) in readers.images { advance(image, options) }
  }

  /// The length of the file, if the server specifies it.
  private var expectedBytes: Int? {
    guard let length = response?.expectedContentLength, length >= 0 else { return nil }
    return Int(length)
  }

  private func decoding(_ image: ImageKey) -> ImageDecoding {
    if let decoding = decodings[image] { return decoding }
    let decoding = ImageDecoding(options: image.decoding)
    decodings[image] = decoding
    return decoding
  }

  /// Decodes as much of an image as the bytes permit, and sends the placeholder and rows to its readers.
  private func advance(_ image: ImageKey, _ options: Loader.Options) {
    if bytes.isEmpty { return }
    let decoding = decoding(image)
    do {
      // `outputSize` throws if the options are invalid for this image. This error is ignored, because decoding throws
      // it too.
      if let info = try decoding.readHeaders(bytes), let size = try? options.decoding.outputSize(for: info) {
        readers.send(.placeholder(info, width: size.width, height: size.height), image)
      }
      while !readers.isEmpty, try decoding.decodePiece(bytes) {}
      if options.transform == nil, readers.wantRows(image), let (partial, rows) = decoding.newRows() {
        readers.send(.rows(partial, rows), image)
      }
    } catch {
      fail(image, error)
    }
  }

  private func complete(source: Loader.Loaded.Source) {
    if readers.isEmpty { return }
    self.source = source
    for (image, options) in readers.images { complete(image, options) }
  }

  private func complete(_ image: ImageKey, _ options: Loader.Options) {
    guard let source, readers.images[image] != nil else { return }
    if source == .cache, let loaded = cachedImages[image] {
      finish(image, .success(loaded))
      return
    }
    let decoding = decoding(image)
    do {
      while !readers.isEmpty, try decoding.decodePiece(bytes) {}
      let loaded = try decode(bytes, decoding, options, source)
      finish(image, .success(loaded))
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
    if readers.isEmpty { throw CancellationError() }
    if source == .network, let response, !isStored {
      isStored = true
      cached?.keep(bytes, of: response, onlyInMemory: readers.keepInMemoryOnly)
    }
    return Loader.Loaded(
      image: try options.transform?.apply(image) ?? image,
      animation: animation.map { Loader.LoadedAnimation(source: $0, transform: options.transform) },
      metadata: WebP.metadata(bytes, limits: options.decoding.limits), source: source,
      animationBytes: animation == nil ? 0 : bytes.count)
  }

  private func fail(_ image: ImageKey, _ error: WebP.DecodeError) {
    let error = WebP.ConversionError.decoding(error)
    if let response, error.isCausedByImage { cached?.removeOlder(than: response) }
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
