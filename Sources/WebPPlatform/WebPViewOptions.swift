/// Specifies how a view shows an image.
public struct WebPViewOptions: Sendable {
  /// The transition from the placeholder to an image from the network.
  public struct Fade: Sendable {
    /// The pacing of the transition.
    public enum Curve: Sendable {
      /// A constant speed.
      case linear
      /// A slow beginning.
      case easeIn
      /// A slow end.
      case easeOut
      /// A slow beginning and a slow end.
      case easeInOut
    }

    /// The duration, in seconds. 0 shows the image immediately.
    public var seconds: Double
    /// The pacing.
    public var curve: Curve

    /// Creates a transition.
    public init(seconds: Double = 0.25, curve: Curve = .easeIn) {
      self.seconds = seconds
      self.curve = curve
    }
  }

  /// Indicates whether the image is decoded for the size in which the view shows it. If false, it is decoded in its own
  /// size. If the options of the load have a size, that size is used.
  public var scalesToView: Bool
  /// Indicates whether the view shows the image. If false, it shows only the placeholder, and passes the image to its
  /// closure.
  public var showsImage: Bool
  /// Indicates whether the placeholder is shown only after the load has failed, instead of during the load.
  public var delaysPlaceholder: Bool
  /// The transition to an image from the network. Other images are shown immediately.
  public var fade: Fade

  /// Creates options.
  public init(
    scalesToView: Bool = true, showsImage: Bool = true, delaysPlaceholder: Bool = false, fade: Fade = .init()
  ) {
    self.scalesToView = scalesToView
    self.showsImage = showsImage
    self.delaysPlaceholder = delaysPlaceholder
    self.fade = fade
  }
}
