// swift-format-ignore-file: AlwaysUseLowerCamelCase

// Double of Accessibility (AXSettings.h).
import CoreGraphics

/// "Returns a Boolean value that indicates whether the system setting for Animated Images is on."
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public func AXAnimatedImagesEnabled() -> Bool { animatedImages.value }

/// Changed by tests.
public let animatedImages = Setting(true)
