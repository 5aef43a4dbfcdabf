import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The bytes that a download has received, and the images that are decoded from them. It moves to the download's queue
/// for each step and back, so that it has one owner at each moment.
struct DownloadedFile: Sendable {
  typealias Loader = WebP.ImageLoader

  /// The maximum number of bytes that are allocated before they arrive. A server may specify any length.
  private static let maximumReservedBytes = 64 << 20

  private let download: Int
  private let request: URLRequest
  private let key: DownloadKey
  private let cached: CacheAccess
  private let scheduler: DownloadScheduler
  private var bytes = Data()
  /// The response that has the file.
  private var response: HTTPURLResponse?
  /// The beginning of the file from an earlier download or response, until a response replaces or continues it.
  var partial: PartialFile?
  /// The source of `bytes`. Nil until they are complete.
  private var source: Loader.Loaded.Source?
  /// Indicates whether the file was passed to the cache.
  private var isStored = false
  /// Indicates whether the server forbids storing its response.
  private(set) var isSecret = false
  /// The number of bytes that are worth the next step.
  private(set) var demand = 1
  private var decodings: [ImageKey: ImageDecoding] = [:]
  /// Images from the cache that were delivered before the server was asked. If it confirms them, they are the result.
  private var cachedImages: [ImageKey: Loader.Loaded] = [:]

  init(
    _ download: Int, _ request: URLRequest, _ key: DownloadKey, _ cached: CacheAccess, _ scheduler: DownloadScheduler
  ) {
    self.download = download
    self.request = request
    self.key = key
    self.cached = cached
    self.scheduler = scheduler
  }

  /// A file without bytes for the same download.
  var emptied: DownloadedFile { DownloadedFile(download, request, key, cached, scheduler) }

  /// The file so far, if another request can continue it.
  var remainder: PartialFile? {
    if source != nil || isSecret { return nil }
    return response.flatMap { PartialFile(bytes, $0, of: request, isPrivate: cached.isPrivate) } ?? partial
  }

  /// Indicates whether the file has more bytes than arrived, according to its header and the server.
  var isShort: Bool {
    [bytes.riffEnd, response?.bodyLength].compactMap(\.self).min().map { bytes.count < $0 } ?? false
  }

  /// Prepares another request.
  mutating func restart(_ partial: PartialFile?) {
    (self.partial, bytes, response, decodings, demand) = (partial, Data(), nil, [:], 1)
  }

  // MARK: The response

  /// Looks the file up in the cache.
  ///
  /// - Returns: the request to the server. Nil if the cache has answered the download.
  mutating func begin(_ serverRequest: URLRequest) throws -> URLRequest? {
    if partial?.isPrivate == true { cached.markPrivate() }
    var serverRequest = serverRequest
    if let entry = try cached.begin(&serverRequest) {
      complete(entry.body, .cache)
      return nil
    }
    sendCachedImages()
    return serverRequest
  }

  enum ResponseUse { case hasBody, isAnswered, startsAgain }

  mutating func receive(_ head: HTTPURLResponse, isPrivate: Bool) throws -> ResponseUse {
    isSecret = head.cacheControl.forbidsStoring
    let keepsInMemoryOnly = scheduler.wishes(of: download).keepsInMemoryOnly
    if let entry = cached.receive(head, isPrivate: isPrivate, onlyInMemory: keepsInMemoryOnly) {
      complete(entry.body, .cache)
      return .isAnswered
    }
    if request.mayHaveChangedURL(answered: head) { scheduler.forget(key.url) }
    if let partial, [206, 304, 412, 416].contains(head.statusCode) {
      // If the server does not continue the same file, it is loaded from its beginning.
      guard let combined = partial.combined(with: head) else {
        restart(nil)
        return .startsAgain
      }
      (bytes, response, self.partial) = (partial.bytes, combined, nil)
      return .hasBody
    }
    guard head.hasFile else { throw WebP.LoadError(status: head.statusCode, url: request.url) }
    restart(nil)
    response = head
    // Growing would copy a large file several times.
    bytes.reserveCapacity(max(0, min(head.bodyLength ?? 0, key.maximumBytes, Self.maximumReservedBytes)))
    return .hasBody
  }

  mutating func receive(_ piece: Data, _ wishes: Wishes) {
    bytes.append(piece)
    for image in wishes.images { advance(image) }
    if !wishes.isUrgent {
      // The steps are invisible. With a quarter of the file in each, the last one is short too.
      let length = bytes.riffEnd ?? response?.bodyLength ?? bytes.count
      demand = wishes.needsDecoding ? max(1, length / 4) : .max
    } else {
      demand = 1
    }
    let progress = Loader.ByteProgress(receivedBytes: bytes.count, expectedBytes: response?.bodyLength)
    if !piece.isEmpty { for report in wishes.reports { report(progress) } }
  }

  // MARK: Images

  /// Delivers images from the cache to readers whose options set `refreshesCached`, while the server is asked.
  private mutating func sendCachedImages() {
    guard let entry = cached.entry else { return }
    for image in scheduler.wishes(of: download).images where image.wantsCachedImage {
      guard let decoding = image.key.decoding else { continue }
      var file = ImageDecoding(options: decoding)
      guard let loaded = try? decode(entry.body, &file, image.options, .cache) else { continue }
      cachedImages[image.key] = loaded
      scheduler.send(.update(.cached(loaded), nil), image.key, of: download)
    }
  }

  /// Decodes as much of an image as the bytes permit, and sends the placeholder to its readers. Rows are sent only
  /// while the file arrives from a server: a view fades them in.
  ///
  /// - Returns: whether the image may become complete.
  @discardableResult
  private mutating func advance(_ image: Wishes.Image) -> Bool {
    guard !bytes.isEmpty else { return true }
    var decoding = takeDecoding(image)
    do {
      _ = try decoding.readHeaders(bytes)
      // If the options are invalid for this image, there is no placeholder, and decoding throws the error.
      if image.wantsPlaceholder, let (update, info) = decoding.placeholder {
        scheduler.send(.update(update, info), image.key, of: download)
      }
      if image.key.decoding != nil {
        while try decoding.decodeStep(bytes, isComplete: source != nil) {
          guard scheduler.hasReaders(download) else { return false }
        }
        if source == nil, image.options.transform == nil { sendRows(image, &decoding) }
      }
    } catch {
      // If only the file is requested, it may have any format.
      if image.key.decoding != nil {
        fail(image.key, error)
        return false
      }
    }
    decodings[image.key] = decoding
    return true
  }

  private func sendRows(_ image: Wishes.Image, _ decoding: inout ImageDecoding) {
    guard image.wantsRows || image.wantsPixels, let (partial, rows) = decoding.newRows() else { return }
    if image.wantsRows {
      scheduler.send(.update(.rows(partial.withoutGaps, finished: rows), decoding.info), image.key, of: download)
    }
    if image.wantsPixels, let pixels = decoding.deliverPixels() {
      scheduler.send(.rows(pixels, decoding.info), image.key, of: download)
    }
  }

  /// Takes the decoding of an image out of the dictionary, so that its pixels have one owner. If only the file is
  /// requested, it only reads the headers.
  private mutating func takeDecoding(_ image: Wishes.Image) -> ImageDecoding {
    decodings.removeValue(forKey: image.key) ?? ImageDecoding(options: image.options.decoding)
  }

  /// Uses a file that did not arrive from a server.
  mutating func complete(_ file: Data, _ source: Loader.Loaded.Source) {
    bytes = file
    complete(source)
  }

  /// Completes the images of all readers. Further readers may join meanwhile.
  mutating func complete(_ source: Loader.Loaded.Source) {
    self.source = source
    while let image = scheduler.wishes(of: download).images.first {
      if source == .cache, let loaded = cachedImages[image.key] {
        finish(image.key, loaded)
      } else if advance(image) {
        complete(image, source)
      }
    }
    decodings = [:]
  }

  private mutating func complete(_ image: Wishes.Image, _ source: Loader.Loaded.Source) {
    guard image.key.decoding != nil else {
      let end = bytes.riffEnd
      if source == .network, let end, end > bytes.count {
        return finish(image.key, .failure(URLError.truncated(bytes.count, of: end).ofLoad(from: request.url)))
      }
      // A page is not stored.
      if end != nil || response?.isOtherImage == true { store() }
      return finish(image.key, .success(.file(Loader.File(bytes, source, try? WebP.info(bytes)))))
    }
    var decoding = takeDecoding(image)
    do {
      finish(image.key, try decode(bytes, &decoding, image.options, source))
    } catch let error as WebP.DecodeError {
      fail(image.key, error)
    } catch {
      finish(image.key, .failure(error))
    }
  }

  /// Completes a decoding, stores the file in the cache, and applies the transform.
  private mutating func decode(
    _ bytes: Data, _ decoding: inout ImageDecoding, _ options: Loader.Options, _ source: Loader.Loaded.Source
  ) throws -> Loader.Loaded {
    let file: DecodedFile
    do { file = try decoding.finish(bytes) } catch let error as URLError { throw error.ofLoad(from: request.url) }
    if !scheduler.hasReaders(download) { throw CancellationError() }
    if source == .network { store() }
    return Loader.Loaded(
      image: try options.transform?.apply(file.image.withoutGaps) ?? file.image,
      animation: file.animation.map {
        Loader.LoadedAnimation(source: $0, transform: options.transform)
      },
      metadata: file.metadata, source: source, fullSize: file.fullSize, density: file.density,
      animationBytes: file.animation == nil ? 0 : bytes.count)
  }

  // MARK: Results

  /// Stores a file from the server in the cache.
  private mutating func store() {
    guard let response, !isStored else { return }
    isStored = true
    cached.keep(bytes, of: response, onlyInMemory: scheduler.wishes(of: download).keepsInMemoryOnly)
  }

  private func finish(_ image: ImageKey, _ result: Result<Loader.Event, any Error>) {
    scheduler.end(download, image, result, isSecret: isSecret)
  }

  private func finish(_ image: ImageKey, _ loaded: Loader.Loaded) {
    finish(image, .success(.update(.finished(loaded), nil)))
  }

  private func fail(_ image: ImageKey, _ error: WebP.DecodeError) {
    let error = WebP.ConversionError.decoding(error)
    if error.isCausedByImage {
      // An entry that `data(for:)` stored may not be decodable.
      if let response { cached.removeOlder(than: response) } else { cached.removeEntry() }
    }
    finish(image, .failure(URLError(error, url: request.url).ofLoad(from: request.url)))
  }
}
