import Foundation

/// Specifies how a view shows an image.
public struct WebPViewOptions: Sendable {
  /// The transition from the placeholder to an image from the network.
  public struct Fade: Sendable {
    /// The pacing of the transition.
    @nonexhaustive
    public enum Curve: Int, Sendable {
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
    public var seconds: TimeInterval
    /// The pacing.
    public var curve: Curve

    /// Creates a transition.
    public init(seconds: TimeInterval = 0.25, curve: Curve = .easeIn) {
      self.seconds = seconds
      self.curve = curve
    }
  }

  /// The number of pixels per point of an image. It determines the size of views that are sized by their image.
  public enum Scale: Sendable, Equatable {
    /// 2 or 3 if the name in the URL contains `@2x.` or `@3x.`, otherwise 1.
    case ofName
    /// A number. If it is not positive and finite, 1.
    case number(Double)
    /// The number of the screen that shows the view.
    case ofScreen

    /// The number of pixels per point. Nil for the number of the screen.
    func pixelsPerPoint(_ url: URL?) -> Double? {
      switch self {
      case .ofName:
        let name = url?.lastPathComponent ?? ""
        return name.contains("@2x.") ? 2 : name.contains("@3x.") ? 3 : 1
      case .number(let number): return number > 0 && number.isFinite ? number : 1
      case .ofScreen: return nil
      }
    }
  }

  /// The playback of an animation.
  public struct Playback: Sendable {
    /// The condition under which an animation plays.
    public enum Control: Sendable {
      /// As long as the settings of the system permit it.
      case automatic
      /// As long as the view is visible, also with Reduce Motion, without animated images, and in Low Power Mode.
      case play
      /// Never.
      case pause
    }

    /// The condition under which the animation plays.
    public var control: Control
    /// The number of loops. 0 is endless. If nil, the file determines the number.
    public var loops: Int?
    /// Indicates whether the animation plays in Low Power Mode.
    public var ignoresLowPowerMode: Bool
    /// Called when all loops are over.
    public var onEnd: @MainActor @Sendable () -> Void

    /// Creates options.
    public init(
      control: Control = .automatic, loops: Int? = nil, ignoresLowPowerMode: Bool = false,
      onEnd: @escaping @MainActor @Sendable () -> Void = {}
    ) {
      self.control = control
      self.loops = loops
      self.ignoresLowPowerMode = ignoresLowPowerMode
      self.onEnd = onEnd
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
  /// The number of pixels per point of the image.
  public var scale: Scale
  /// The playback of an animation.
  public var playback: Playback
  /// Indicates whether the modifier of an image view changes the frames of animations. It always changes other images.
  public var modifiesAnimations: Bool

  /// Creates options.
  public init(
    scalesToView: Bool = true, showsImage: Bool = true, delaysPlaceholder: Bool = false, fade: Fade = .init(),
    scale: Scale = .ofName, playback: Playback = .init(), modifiesAnimations: Bool = true
  ) {
    self.scalesToView = scalesToView
    self.showsImage = showsImage
    self.delaysPlaceholder = delaysPlaceholder
    self.fade = fade
    self.scale = scale
    self.playback = playback
    self.modifiesAnimations = modifiesAnimations
  }
}
