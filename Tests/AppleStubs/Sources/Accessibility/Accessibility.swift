// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Double of Accessibility (AXSettings.h).
import CoreGraphics

/// "Returns a Boolean value that indicates whether the system setting for Animated Images is on."
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public func AXAnimatedImagesEnabled() -> Bool { animatedImages.value }

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
public enum AccessibilitySettings {
  /// "A notification that posts when the system setting for playing animated images changes."
  public static let animatedImagesEnabledDidChangeNotification = Notification.Name("animatedImagesEnabled")
}

/// Changed by tests.
public let animatedImages = Setting(true, AccessibilitySettings.animatedImagesEnabledDidChangeNotification)
