#if canImport(CoreGraphics)
  import Foundation

  #if canImport(Accessibility)
    import Accessibility
  #endif

  /// The settings of the system that stop animations. They have the same effect in all views.
  enum AnimationSettings {
    /// Indicates whether animations may play.
    ///
    /// - Parameter reducesMotion: the setting Reduce Motion.
    static func permitAnimations(reducesMotion: Bool) -> Bool {
      !reducesMotion && playsAnimatedImages && !savesPower
    }

    /// The setting Auto-Play Animated Images.
    private static var playsAnimatedImages: Bool {
      #if canImport(Accessibility)
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { return AXAnimatedImagesEnabled() }
      #endif
      return true
    }

    /// Low Power Mode.
    private static var savesPower: Bool {
      if #available(macOS 12, *) { return ProcessInfo.processInfo.isLowPowerModeEnabled }
      return false
    }
  }
#endif
