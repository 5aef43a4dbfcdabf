#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import SwiftUI

  #if canImport(UIKit)
    import UIKit
  #elseif canImport(AppKit)
    import AppKit
  #endif

  extension EnvironmentValues {
    /// The conditions of a view that shows an image.
    ///
    /// - Parameter isAnimated: whether the position of the view matters. To read it makes SwiftUI update the view
    ///   whenever it scrolls.
    @MainActor
    func conditions(_ proxy: GeometryProxy, isAnimated: Bool) -> ViewConditions {
      let isOnScreen = !isAnimated || screenBounds.map { $0.intersects(proxy.frame(in: .global)) } ?? true
      return ViewConditions(
        width: Double(proxy.size.width * displayScale), height: Double(proxy.size.height * displayScale),
        isOnScreen: isOnScreen, isInBackground: isInBackground, permitsAnimations: permitsAnimations)
    }

    /// Indicates whether the user permits animated images. SwiftUI updates the view when these values change.
    private var permitsAnimations: Bool {
      if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *), !accessibilityPlayAnimatedImages { return false }
      return !accessibilityReduceMotion
    }

    private var isInBackground: Bool {
      if #available(macOS 11, iOS 14, tvOS 14, watchOS 7, *) { return scenePhase == .background }
      return false
    }
  }

  /// An area outside of which nothing is visible, in the coordinates of a window on any screen. Nil if it is unknown.
  @MainActor private var screenBounds: CGRect? {
    #if os(visionOS) || os(watchOS)
      nil
    #elseif canImport(UIKit)
      UIScreen.screens.reduce(CGRect.zero) { $0.union($1.bounds) }
    #elseif canImport(AppKit)
      // A window that lies on several screens is at most as large as all of them.
      CGRect(origin: .zero, size: NSScreen.screens.reduce(CGRect.zero) { $0.union($1.frame) }.size)
    #endif
  }
#endif
