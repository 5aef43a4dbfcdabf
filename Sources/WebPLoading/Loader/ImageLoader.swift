import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Loads pictures for views, and shows them growing.
  ///
  /// ```swift
  /// let loader = WebP.ImageLoader(cache: cache)
  /// for try await update in loader.updates(for: url) {
  ///   switch update {
  ///   case .placeholder(_, let width, let height): reserve(width, height)
  ///   case .rows(let image, _): show(image)
  ///   case .finished(let loaded): show(loaded.image, fadesIn: loaded.fadesIn)
  ///   }
  /// }
  /// ```
  ///
  /// The pixels are decoded from the WebP itself, not by way of a PNG. Whoever asks for a URL that is being loaded joins
  /// that load; a load that nobody waits for any more is cancelled. Pictures that were decoded are kept in memory, files
  /// in the ``ImageCache``; neither where the server says `no-store`. A picture in memory answers as long as it is there,
  /// however old it is, but not where the `cachePolicy` of the request or the configuration, or the request's
  /// `Cache-Control`, asks for the server, nor where its method is another than GET: each such request is a load of its
  /// own.
  public final class ImageLoader: Sendable {
    private let work: LoaderWork

    /// - Parameters:
    ///   - configuration: for all requests.
    ///   - cache: keeps the files; nil: the configuration's `URLCache` does, and on Linux nothing.
    ///   - maximumDecodedBytes: of pictures kept decoded, with their metadata, the files of animations, and about what
    ///     their requests take.
    ///   - maximumLoads: how many requests run at the same time, one at least, those that are cancelled until their work
    ///     has stopped; the others wait, by their priority.
    public init(
      configuration: URLSessionConfiguration = .default, cache: ImageCache? = nil,
      maximumDecodedBytes: Int = 64 << 20, maximumLoads: Int = 6
    ) {
      work = LoaderWork(configuration, cache, maximumDecodedBytes: maximumDecodedBytes, maximumLoads: maximumLoads)
    }

    /// What happens while a picture is loaded, at least ``Update/finished(_:)`` or an error at the end.
    ///
    /// - Returns: a stream for one reader. What it does not read is dropped, but for the newest, so that slow views skip
    ///   what they could not show. When the reader stops reading, it leaves the load.
    public func updates(for request: URLRequest, options: Options = Options()) -> AsyncThrowingStream<Update, any Error>
    {
      work.updates(for: request, options)
    }

    /// What happens while a picture is loaded, as the call with a request tells it.
    public func updates(for url: URL, options: Options = Options()) -> AsyncThrowingStream<Update, any Error> {
      updates(for: URLRequest(url: url), options: options)
    }

    /// The whole picture. A task that is cancelled leaves the load.
    ///
    /// - Throws: `URLError`, whose description tells what is wrong; what the transform throws; `CancellationError`.
    public func image(for request: URLRequest, options: Options = Options()) async throws -> Loaded {
      var options = options
      options.isProgressive = false
      for try await update in updates(for: request, options: options) {
        if case .finished(let loaded) = update { return loaded }
      }
      throw CancellationError()
    }

    /// The whole picture. A task that is cancelled leaves the load.
    public func image(for url: URL, options: Options = Options()) async throws -> Loaded {
      try await image(for: URLRequest(url: url), options: options)
    }

    /// Forgets the pictures that were decoded, as when memory is short.
    public func removeDecodedImages() { work.removeDecoded() }

    /// Lets what has failed be tried again.
    public func forgetFailures() { work.forgetFailures() }
  }
}

extension WebP.ImageLoader {
  /// What happens while a picture is loaded.
  public enum Update: Sendable {
    /// The headers are there, and nothing to see yet. Width and height are those that the options' crop and size make,
    /// before any transform.
    case placeholder(WebP.ImageInfo, width: Int, height: Int)
    /// The picture so far: those rows are new, all rows above them are finished, and those below are transparent. (Of a
    /// picture that is flipped, the other way round.)
    case rows(WebP.Image, Range<Int>)
    /// The picture is whole. Nothing follows.
    case finished(Loaded)
  }

  /// A picture that is whole.
  public struct Loaded: Sendable {
    /// Where a picture came from.
    public enum Source: Sendable {
      /// It was there, decoded.
      case memory
      /// Its file was.
      case cache
      /// A server sent it.
      case network
    }

    /// Of an animation, the first frame.
    public let image: WebP.Image
    /// If it has more than one frame.
    public let animation: WebP.Animation?
    /// How the picture is to be turned, its colours and more.
    public let metadata: WebP.Metadata
    /// Where it came from.
    public internal(set) var source: Source
    /// Of the file that the animation keeps.
    let animationBytes: Int

    /// Whether it should fade in: it was waited for.
    public var fadesIn: Bool { source != .memory }
  }

  /// How a picture is loaded.
  public struct Options: Sendable {
    /// Which load begins first where many wait.
    public enum Priority: Int, Sendable, Comparable {
      case low, normal, high

      public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Changes a finished picture, such as by cutting it to a shape. It is kept as it becomes.
    public struct Transform: Sendable {
      /// Tells one transform from another.
      public let name: String
      let apply: @Sendable (WebP.Image) throws -> WebP.Image

      /// - Parameters:
      ///   - name: tells this transform from others: pictures are kept by it.
      ///   - apply: makes the new picture of the decoded one. May be called from any thread.
      public init(_ name: String, _ apply: @escaping @Sendable (WebP.Image) throws -> WebP.Image) {
        self.name = name
        self.apply = apply
      }
    }

    /// Asks again for what has failed for good, with a status of 404 or 410 or because it cannot be decoded, which fails
    /// at once otherwise; not because it ended too early. Another request for the URL, with other headers or another way
    /// of decoding, is tried anyway.
    public var retriesFailed = false
    /// Of all who wait for one load when it begins, the highest counts.
    public var priority = Priority.normal
    /// Keeps the file out of the cache's folder, also where others wait for the same load.
    public var keepsInMemoryOnly = false
    /// Asks the server even if the picture is in the cache and fresh; what has not changed is not sent again.
    public var refreshesCached = false
    /// Tells rows as they are decoded. Otherwise there are only a placeholder and the end.
    public var isProgressive = true
    /// Sends the session's cookies, and keeps those that come.
    public var handlesCookies = true
    /// A view shows nothing by itself but its placeholder, and leaves the picture to whom it tells it. (The loader never
    /// shows anything.)
    public var avoidsAutoSet = false
    /// Applied to the finished picture. Rows are not told where there is one.
    public var transform: Transform?
    /// How the picture is decoded. Crop and size are those of the picture as it is stored, before anything turns it as its
    /// metadata tells.
    public var decoding = WebP.DecodeOptions()

    public init() {}
  }
}
