import Foundation
import PureWebP

extension WebP.ImageLoader {
  /// Specifies how an image is loaded and decoded.
  public struct Options: Sendable {
    /// The priority of a waiting download.
    @nonexhaustive
    public enum Priority: Int, Sendable, Comparable {
      /// A download with a higher priority begins before all waiting downloads with a lower one.
      case low, normal, high

      public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }

    /// A function that changes decoded images, for example by cropping them to a shape. The loader stores the results
    /// in memory.
    public struct Transform: Sendable {
      /// The name that identifies the transform in memory.
      public let name: String
      let apply: @Sendable (WebP.Image) throws -> WebP.Image

      /// Creates a transform.
      ///
      /// - Parameters:
      ///   - name: the name that identifies the transform in memory. Transforms with equal names must have equal
      ///     results.
      ///   - apply: returns the new image. Called on any thread, and for each frame of an animation.
      public init(_ name: String, _ apply: @escaping @Sendable (WebP.Image) throws -> WebP.Image) {
        self.name = name
        self.apply = apply
      }
    }

    /// Indicates whether to send a request even if the same request has failed permanently before.
    ///
    /// If false, the request fails immediately with the earlier error. Failures are permanent if the status is 404 or
    /// 410, or if the image cannot be decoded. A truncated image is not a permanent failure. A request with other
    /// headers or decoding options is not the same request.
    public var retriesFailed: Bool
    /// The maximum number of times that a GET request is repeated after a failure of the kind
    /// ``WebP/ErrorKind/unavailable``. If several readers share the download, the highest number applies.
    public var maximumRetries: Int
    /// The time before the first retry, in seconds. It doubles with each further retry.
    public var retryDelay: TimeInterval
    /// The priority of the download. If several readers share the download, the highest priority applies.
    public var priority: Priority
    /// Indicates whether the file must not be stored on disk, even if other readers share the download.
    public var keepsInMemoryOnly: Bool
    /// Indicates whether to ask the server even if the image in the cache is fresh. ``Update/cached(_:)`` delivers the
    /// cached image first. If the server supports validators, it does not send an unchanged image again.
    public var refreshesCached: Bool
    /// Indicates whether to deliver rows while they are decoded.
    public var isProgressive: Bool
    /// Indicates whether to send the session's cookies and store new ones.
    public var handlesCookies: Bool
    /// Indicates whether the download continues when the app enters the background. When the system's time is over, the
    /// download fails with ``WebP/ErrorKind/unavailable``. If several readers share the download, one of them is
    /// enough. Has no effect on macOS and Linux, which do not suspend apps.
    public var continuesInBackground: Bool
    /// Indicates whether to accept any server certificate, including expired and self-signed ones. Has no effect on
    /// Linux, and with a transport that has no such option.
    ///
    /// > Warning: Anyone on the network path can then read and replace the images. Use this option only with test
    /// > servers.
    public var allowsInvalidCertificates: Bool
    /// The transform that is applied to the complete image, and to each frame of an animation. With a transform, the
    /// loader delivers no rows.
    public var transform: Transform?
    /// Called with the progress of the download when bytes arrive from the server. A retry begins at 0 bytes again.
    /// Calls are made on any thread, one at a time. The function must return quickly, because decoding waits for it.
    public var onProgress: (@Sendable (ByteProgress) -> Void)?
    /// The decoding options. By default, they specify upright images: other ones need ``WebP/DecodeOptions/isUpright``,
    /// too.
    ///
    /// Complete images and frames are then upright, and ``Loaded/metadata`` has no other orientation than up. Rows are
    /// not oriented, and neither is the size of a placeholder as long as the file is not complete, because the
    /// orientation follows the pixels.
    public var decoding: WebP.DecodeOptions

    /// Creates options.
    public init(
      retriesFailed: Bool = false, maximumRetries: Int = 0, retryDelay: TimeInterval = 1, priority: Priority = .normal,
      keepsInMemoryOnly: Bool = false, refreshesCached: Bool = false, isProgressive: Bool = true,
      handlesCookies: Bool = true, continuesInBackground: Bool = false, allowsInvalidCertificates: Bool = false,
      transform: Transform? = nil, onProgress: (@Sendable (ByteProgress) -> Void)? = nil,
      decoding: WebP.DecodeOptions = .init(isUpright: true)
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
      self.transform = transform
      self.onProgress = onProgress
      self.decoding = decoding
    }
  }
}
