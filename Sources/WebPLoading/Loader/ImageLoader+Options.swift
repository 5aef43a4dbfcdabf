import PureWebP

extension WebP.ImageLoader {
  /// Specifies how an image is loaded and decoded.
  public struct Options: Sendable {
    /// Determines which of the waiting downloads begins first.
    public enum Priority: Int, Sendable, Comparable {
      /// A download with a higher priority begins before all waiting downloads with a lower one.
      case low, normal, high

      public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// Changes decoded images, for example by cropping them to a shape. The results are stored in memory.
    public struct Transform: Sendable {
      /// Identifies the transform.
      public let name: String
      let apply: @Sendable (WebP.Image) throws -> WebP.Image

      /// Creates a transform.
      ///
      /// - Parameters:
      ///   - name: identifies the transform in the memory cache.
      ///   - apply: returns the new image. Called on any thread, and for each frame of an animation.
      public init(_ name: String, _ apply: @escaping @Sendable (WebP.Image) throws -> WebP.Image) {
        self.name = name
        self.apply = apply
      }
    }

    /// Indicates whether to repeat requests that failed permanently: with status 404 or 410, or because the image cannot be decoded.
    /// Otherwise they fail immediately. Truncated images and requests with other headers or decoding options are always
    /// tried.
    public var retriesFailed: Bool
    /// The number of times to repeat a GET request that failed temporarily: because of the network, or with status 408, 425, 429 or
    /// 5xx. If several readers share the download, the highest number counts.
    public var maximumRetries: Int
    /// The time before the first retry, in seconds. It doubles with each further one.
    public var retryDelay: Double
    /// The priority of the download. If several readers share it, the highest counts.
    public var priority: Priority
    /// Indicates whether to keep the file out of the cache's folder, even if other readers share the download.
    public var keepsInMemoryOnly: Bool
    /// Indicates whether to ask the server even if the image is in the cache and fresh. ``Update/cached(_:)`` delivers the cached
    /// image first. An unchanged image is not sent again, if the server supports validators.
    public var refreshesCached: Bool
    /// Indicates whether to deliver rows while they are decoded.
    public var isProgressive: Bool
    /// Indicates whether to send the session's cookies and store new ones.
    public var handlesCookies: Bool
    /// Indicates whether to finish the download when the app enters the background, within the time that the system grants. Has no
    /// effect on macOS and Linux, where apps are not suspended.
    public var continuesInBackground: Bool
    /// Indicates whether to accept any server certificate, including expired and self-signed ones. Has no effect on Linux.
    ///
    /// > Warning: Anyone on the network path can then read and replace the images. Set it for test servers only.
    public var allowsInvalidCertificates: Bool
    /// Indicates whether `WebPImage` shows the image. If false, it shows only the placeholder, and passes the image to its
    /// `onLoad` closure. The loader itself never shows anything.
    public var showsImage: Bool
    /// Indicates whether `WebPImage` shows its placeholder only if the load fails, rather than while it waits.
    public var delaysPlaceholder: Bool
    /// The transform of the complete image, and of each frame of an animation. Rows are not delivered if there is one.
    public var transform: Transform?
    /// Receives the progress of the download whenever bytes arrive from the server. A retry begins with 0 bytes again.
    /// Called on any thread, one call at a time. It must return soon, because decoding waits for it.
    public var onProgress: (@Sendable (ByteProgress) -> Void)?
    /// The decoding options. Crop and size refer to the stored image, before its orientation is applied.
    public var decoding: WebP.DecodeOptions

    /// Creates options.
    public init(
      retriesFailed: Bool = false, maximumRetries: Int = 0, retryDelay: Double = 1.0, priority: Priority = .normal,
      keepsInMemoryOnly: Bool = false, refreshesCached: Bool = false, isProgressive: Bool = true,
      handlesCookies: Bool = true, continuesInBackground: Bool = false, allowsInvalidCertificates: Bool = false,
      showsImage: Bool = true, delaysPlaceholder: Bool = false, transform: Transform? = nil,
      onProgress: (@Sendable (ByteProgress) -> Void)? = nil, decoding: WebP.DecodeOptions = .init()
    ) {
      self.retriesFailed = retriesFailed
      self.maximumRetries = maximumRetries
      self.retryDelay = retryDelay
      self.priority = priority
      self.keepsInMemoryOnly = keepsInMemoryOnly
      self.refreshesCached = refreshesCached
      self.isProgressive = isProgressive
      self.handlesCookies = handlesCookies
      self.continuesInBackground = continuesInBackground
      self.allowsInvalidCertificates = allowsInvalidCertificates
      self.showsImage = showsImage
      self.delaysPlaceholder = delaysPlaceholder
      self.transform = transform
      self.onProgress = onProgress
      self.decoding = decoding
    }
  }
}
