#if canImport(SwiftUI)
  import PureWebP
  import WebPLoading

  /// The phase of a load during which a ``WebPImage`` shows its placeholder.
  public enum WebPImagePhase: Sendable {
    /// The image is being loaded. The progress is nil until bytes have arrived from a server. It does not decrease if
    /// the request is retried.
    case loading(WebP.ImageLoader.ByteProgress?)
    /// Loading has failed.
    case failure(any Error)
  }
#endif
