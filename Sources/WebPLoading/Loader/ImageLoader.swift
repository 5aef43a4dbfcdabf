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
  ///   case .placeholder(_, let width, let height): reserve(width, height)
  ///   case .rows(let image, _): show(image)
  ///   case .cached(let loaded): show(loaded.image)
  ///   case .finished(let loaded): show(loaded.image, fadesIn: loaded.fadesIn)
  ///   }
  /// }
  /// ```
  ///
  /// Pixels are decoded from the WebP without converting it to a PNG. Requests for the same URL share one download,
  /// from which each size, format or transform is decoded once. A download is canceled when all its readers have left.
  ///
  /// Decoded images are stored in memory, and files in the ``ImageCache``. Neither is stored if the server sends
  /// `no-store`. A decoded image answers a request regardless of its age, unless the `cachePolicy` of the request or
  /// the configuration, or the request's `Cache-Control`, requires the server. Requests other than GET are always sent.
  ///
  /// A WebP ends at the position that its RIFF header specifies. Later bytes are not loaded. A transfer that exceeds
  /// `limits.maximumBytes` is canceled.
  ///
  /// > Warning: On Linux a server ends the process with the header `Content-Length: 9223372036854775807`. This is a fault
  /// > of FoundationNetworking and concerns every URLSession. See <doc:WebPLoading>.
  public final class ImageLoader: Sendable {
    private let coordinator: LoadCoordinator
    private let memoryPressure: MemoryPressure

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - configuration: the configuration of all requests.
    ///   - cache: stores the files. If nil, the configuration's `URLCache` does, and on Linux nothing.
    ///   - maximumDecodedBytes: the maximum memory for decoded images, including their metadata, the files of animations
    ///     and the approximate memory of their requests.
    ///   - maximumLoads: how many downloads run at the same time, at least one. The others wait, by their priority. A
    ///     cancelled download counts until its work has stopped.
    ///   - maximumLoadsPerHost: how many of them load from the same host, at least one.
    ///   - minimumBytesPerSecond: the lowest transfer rate of a response, averaged over the configuration's
    ///     `timeoutIntervalForRequest`. Slower downloads fail with `URLError.timedOut`. 0 permits any rate.
    ///   - cacheKey: returns the URL by which an image is identified, in memory, in `cache` and among the downloads that
    ///     are shared. For example, it removes a signature that differs in each request. Requests are sent to the
    ///     original URL. Called on any thread.
    public init(
      configuration: URLSessionConfiguration = .default, cache: ImageCache? = nil,
      maximumDecodedBytes: Int = 64 << 20, maximumLoads: Int = 12, maximumLoadsPerHost: Int = 6,
      minimumBytesPerSecond: Int = 256, cacheKey: @escaping @Sendable (URL) -> URL = { $0 }
    ) {
      let limits = LoadCoordinator.Limits(
        maximumDecodedBytes: maximumDecodedBytes, maximumLoads: maximumLoads,
        maximumLoadsPerHost: maximumLoadsPerHost, minimumBytesPerSecond: minimumBytesPerSecond)
      let coordinator = LoadCoordinator(limits, configuration, cache, cacheKey: cacheKey)
      self.coordinator = coordinator
      memoryPressure = MemoryPressure { [weak coordinator] in coordinator?.releaseMemory() }
    }

    /// Returns the updates of an image that is loaded, which end with ``Update/finished(_:)`` or an error.
    ///
    /// The sequence is for one reader. Updates that it does not read in time are dropped except for the newest, so that
    /// slow views skip what they cannot show. The reader leaves the load when it stops reading.
    public func updates(for request: URLRequest, options: Options = Options()) -> Updates {
      coordinator.updates(for: request, options)
    }

    /// Returns the updates of an image that is loaded, which end with ``Update/finished(_:)`` or an error.
    public func updates(for url: URL, options: Options = Options()) -> Updates {
      updates(for: URLRequest(url: url), options: options)
    }

    /// Loads the complete image. A cancelled task leaves the load.
    ///
    /// - Throws: `URLError`, whose description states the problem; errors of the transform; or `CancellationError`.
    public func image(for request: URLRequest, options: Options = Options()) async throws -> Loaded {
      var options = options
      options.isProgressive = false
      for try await case .finished(let loaded) in updates(for: request, options: options) { return loaded }
      throw CancellationError()
    }

    /// Loads the complete image. A cancelled task leaves the load.
    ///
    /// - Throws: `URLError`, whose description states the problem; errors of the transform; or `CancellationError`.
    public func image(for url: URL, options: Options = Options()) async throws -> Loaded {
      try await image(for: URLRequest(url: url), options: options)
    }

    /// Releases the decoded images. On Apple's systems, this and ``ImageCache/removeAllFromMemory()`` happen automatically
    /// when memory is low.
    public func removeDecodedImages() { coordinator.removeDecoded() }

    /// Forgets which requests failed, so that they are tried again.
    public func forgetFailures() { coordinator.forgetFailures() }
  }
}
