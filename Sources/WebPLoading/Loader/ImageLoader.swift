import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Loads images for views, and delivers their rows while they arrive.
  ///
  /// ```swift
  /// let loader = WebP.ImageLoader(cache: cache)
  /// for try await update in loader.updates(for: url) {
  ///   switch update {
  ///   case .placeholder(_, let size): reserve(size)
  ///   case .rows(let image, _): show(image)
  ///   case .cached(let loaded): show(loaded.image)
  ///   case .finished(let loaded): show(loaded.image, fadesIn: loaded.fadesIn)
  ///   @unknown default: continue
  ///   }
  /// }
  /// ```
  ///
  /// URLs may have the schemes `http`, `https`, `file` and `data`.
  ///
  /// Concurrent requests for the same URL share one download. Each combination of size, pixel format and transform is
  /// decoded once. The callers that wait for an image are its readers. When a download has no readers any more, the
  /// loader cancels it. If the server gave a strong `ETag`, the next download of the URL continues a canceled one.
  ///
  /// The loader stores decoded images in memory, and files in the ``ImageCache``. If the server sends `no-store`, it
  /// stores neither. A decoded image answers a request regardless of its age. The server is asked only if the
  /// `cachePolicy` of the request or configuration, or the request's `Cache-Control`, requires it. Requests other than
  /// GET are always sent.
  ///
  /// A WebP ends at the position that its RIFF header specifies. Later bytes are not loaded. A transfer that exceeds
  /// `limits.maximumBytes` is canceled.
  ///
  /// > Warning: On Linux, a server can end the process with certain responses, because of bugs in FoundationNetworking
  /// > that affect every `URLSession`. For servers that you do not control, pass the transport over AsyncHTTPClient of
  /// > `Integrations/AsyncHTTPClient`. See <doc:LoadingOnLinux>.
  public final class ImageLoader: Sendable {
    private let scheduler: DownloadScheduler
    private let memoryPressure: MemoryPressure

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests.
    ///   - cache: stores the files. If nil, the configuration's `URLCache` stores them on Apple's systems, and nothing
    ///     is stored on Linux.
    ///   - cachePartition: the name of the partition of `cache` for private images. If nil, they are stored only in
    ///     memory, and no other loader gets them. Loads with ``Options/handlesCookies`` false or
    ///     ``Options/allowsInvalidCertificates`` do not use this partition.
    ///   - transport: sends the requests. If nil, a ``URLSessionTransport`` with the configuration. To another
    ///     transport, only the configuration's additional headers, timeouts, cookies and cache policy apply.
    ///   - maximumDecodedBytes: the maximum memory for decoded images, in bytes. It includes their metadata, the files
    ///     of animations, and the approximate memory of their requests.
    ///   - maximumLoads: the maximum number of downloads that run at the same time. Values below 1 are replaced by 1.
    ///     Further downloads wait and begin in the order of priority. A cancelled download counts until its work has
    ///     ended.
    ///   - maximumLoadsPerHost: the maximum number of downloads that run at the same time from the same host. Values
    ///     below 1 are replaced by 1.
    ///   - minimumBytesPerSecond: the lowest transfer rate of a response, averaged over the configuration's
    ///     `timeoutIntervalForRequest`. Slower downloads fail with ``ErrorKind/unavailable``. 0 permits any rate.
    ///   - cacheKey: returns the URL that identifies an image in memory and in `cache`. Requests with equal results
    ///     share a download. For example, the function removes a signature that differs in each request. Requests are
    ///     still sent to the original URL. Called on any thread.
    public init(
      configuration: URLSessionConfiguration = .default, cache: ImageCache? = nil, cachePartition: String? = nil,
      transport: (any Transport)? = nil, maximumDecodedBytes: Int = 64 << 20, maximumLoads: Int = 12,
      maximumLoadsPerHost: Int = 6, minimumBytesPerSecond: Int = 256,
      cacheKey: @escaping @Sendable (URL) -> URL = { $0 }
    ) {
      let limits = DownloadScheduler.Limits(
        maximumDecodedBytes: maximumDecodedBytes, maximumLoads: maximumLoads,
        maximumLoadsPerHost: maximumLoadsPerHost, minimumBytesPerSecond: minimumBytesPerSecond)
      let scheduler = DownloadScheduler(
        limits, configuration, cache, cachePartition: cachePartition, transport: transport, cacheKey: cacheKey)
      self.scheduler = scheduler
      memoryPressure = MemoryPressure { [weak scheduler] in scheduler?.releaseMemory() }
    }

    /// Loads an image and returns the updates of the load. They end with ``Update/finished(_:)`` or an error.
    ///
    /// The sequence can be iterated over once. It buffers only the newest update, so that a slow view skips older ones.
    /// When the iteration ends, its reader no longer counts as a reader of the download.
    public func updates(for request: URLRequest, options: Options = Options()) -> Updates {
      scheduler.updates(for: request, options)
    }

    /// Loads an image and returns the updates of the load. They end with ``Update/finished(_:)`` or an error.
    public func updates(for url: URL, options: Options = Options()) -> Updates {
      updates(for: URLRequest(url: url), options: options)
    }

    /// Returns an image from the memory of decoded images, without waiting.
    ///
    /// The result is the image in the requested size. If it is not in memory, it is the smallest larger one, or else
    /// the largest smaller one, which a view can show until the requested one is loaded. Only `DecodeOptions.size` may
    /// differ, and only between `fit`, `fill` and no size. With a transform, or with `exact`, the size may not differ
    /// either.
    ///
    /// - Returns: the image, and whether it has enough pixels. Nil if there is none, or if the cache policy of the
    ///   request does not permit it. ``Options/refreshesCached`` has no effect.
    public func imageInMemory(
      for request: URLRequest, options: Options = Options()
    ) -> (image: Loaded, isLargeEnough: Bool)? {
      scheduler.imageInMemory(for: request, options)
    }

    /// Returns an image from the memory of decoded images, without waiting.
    public func imageInMemory(
      for url: URL, options: Options = Options()
    ) -> (image: Loaded, isLargeEnough: Bool)? {
      imageInMemory(for: URLRequest(url: url), options: options)
    }

    /// Loads an image for a view.
    ///
    /// - Parameters:
    ///   - decodes: true to decode the image, false to load only its headers and its file, because the size of the view
    ///     is not known.
    ///   - file: the file, if the view has it.
    ///   - number: the result of an earlier call for the same image, which this call replaces.
    /// - Returns: the number of the load, and its events.
    package func events(
      for request: URLRequest, options: Options, decodes: Bool, file: File?, replacing number: Int?
    ) -> (number: Int, events: AsyncThrowingStream<Event, any Error>) {
      scheduler.read(request, options, decodes: decodes, view: .init(file: file, number: number))
    }

    /// Loads the complete image.
    ///
    /// - Throws: ``WebP/LoadError``; an error of the transform; or `CancellationError` if the task is cancelled.
    public func image(for request: URLRequest, options: Options = Options()) async throws -> Loaded {
      var options = options
      options.isProgressive = false
      for try await case .finished(let loaded) in updates(for: request, options: options) { return loaded }
      throw CancellationError()
    }

    /// Loads the complete image.
    ///
    /// - Throws: ``WebP/LoadError``; an error of the transform; or `CancellationError` if the task is cancelled.
    public func image(for url: URL, options: Options = Options()) async throws -> Loaded {
      try await image(for: URLRequest(url: url), options: options)
    }

    /// Loads the file without decoding it, with the same cache, priorities and limits as an image. The file may have
    /// any format.
    ///
    /// - Throws: ``WebP/LoadError``, or `CancellationError` if the task is cancelled.
    public func data(for request: URLRequest, options: Options = Options()) async throws -> Data {
      for try await case .file(let file) in scheduler.read(request, options, decodes: false).1 { return file.bytes }
      throw CancellationError()
    }

    /// Loads the file without decoding it, with the same cache, priorities and limits as an image. The file may have
    /// any format.
    ///
    /// - Throws: ``WebP/LoadError``, or `CancellationError` if the task is cancelled.
    public func data(for url: URL, options: Options = Options()) async throws -> Data {
      try await data(for: URLRequest(url: url), options: options)
    }

    /// Loads files into the cache without decoding them, so that later loads need no network. The priority is
    /// low. If the task is cancelled, the remaining loads are cancelled.
    ///
    /// ```swift
    /// let prefetching = Task { await loader.prefetch(urls) }
    /// prefetching.cancel()  // the user has left the screen
    /// ```
    ///
    /// Without a `cache`, this method has no effect on later loads.
    ///
    /// - Returns: the URLs that were not loaded, and the reasons.
    @discardableResult
    public func prefetch(_ urls: [URL], options: Options = Options()) async -> [URL: any Error] {
      var options = options
      options.priority = .low
      return await withTaskGroup(of: (URL, (any Error)?).self) { group in
        for url in urls {
          group.addTask { [options] in
            do { _ = try await self.data(for: url, options: options) } catch { return (url, error) }
            return (url, nil)
          }
        }
        return await group.reduce(into: [:]) { if let error = $1.1 { $0[$1.0] = error } }
      }
    }

    /// Releases the decoded images. On Apple's systems, the loader calls this method and
    /// ``ImageCache/removeAllFromMemory()`` when memory is low.
    public func removeDecodedImages() { scheduler.removeDecoded() }

    /// Forgets permanent failures, so that the same requests are sent again.
    public func forgetFailures() { scheduler.forgetFailures() }
  }
}
