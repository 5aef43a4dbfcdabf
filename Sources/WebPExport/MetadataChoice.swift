import PureWebP

extension WebP {
  /// The metadata that is stored with pixels of a WebP.
  ///
  /// Functions that write the pixels of an `Image` have a parameter of type `WebP.Metadata` instead, because an image
  /// has no metadata of its own. Its default is `.none`.
  public enum MetadataChoice: Hashable, Sendable {
    /// The metadata of the WebP.
    case source
    /// No metadata.
    case none
    /// Other metadata.
    case custom(Metadata)
  }
}

extension WebP.MetadataChoice {
  /// - Parameter source: The metadata of the WebP.
  func metadata(_ source: @autoclosure () -> WebP.Metadata) -> WebP.Metadata {
    switch self {
    case .source: source()
    case .none: .none
    case .custom(let metadata): metadata
    }
  }
}
