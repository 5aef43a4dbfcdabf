/// The conditions under which SwiftUI shows an image.
struct ViewConditions: Equatable, Sendable {
  /// The size in which the image is shown, in pixels.
  var width = 0.0
  var height = 0.0
  /// Indicates whether a part of the view may be on the screen.
  var isOnScreen = true
  /// Indicates whether SwiftUI reports that the app is in the background.
  var isInBackground = false
  /// Indicates whether the user permits animated images.
  var permitsAnimations = true
}

/// Decides whether an animation plays.
struct PlaybackRule {
  /// In a view that UIKit hosts, SwiftUI reports the background all the time.
  private var hasBeenActive = false

  mutating func mayPlay(
    _ conditions: ViewConditions, _ playback: WebPViewOptions.Playback = .init(), savesPower: Bool = false
  ) -> Bool {
    if !conditions.isInBackground { hasBeenActive = true }
    return conditions.isOnScreen && !(conditions.isInBackground && hasBeenActive)
      && playback.isPermitted(conditions.permitsAnimations, savesPower: savesPower)
  }
}

extension WebPViewOptions.Playback {
  /// Returns whether an animation may play in a view that is visible.
  func isPermitted(_ permitsAnimations: Bool, savesPower: Bool) -> Bool {
    switch control {
    case .play: true
    case .pause: false
    case .automatic: permitsAnimations && (!savesPower || ignoresLowPowerMode)
    }
  }
}
