#if canImport(CoreGraphics)
  import Foundation

  #if canImport(Accessibility)
    import Accessibility
  #endif
  #if canImport(UIKit) && !os(watchOS)
    import UIKit
  #elseif canImport(AppKit)
    import AppKit
  #endif

  /// The settings of the system that stop animations. They are read when the system reports a change.
  @MainActor
  final class AnimationSettings {
    static let shared = AnimationSettings()

    private var reducesMotion = false
    private var playsAnimatedImages = true
    private(set) var savesPower = false
    /// Called after a change. A closure that returns false is removed.
    private var observers: [() -> Bool] = []

    private init() {
      read()
      for (center, name) in changes {
        // Low Power Mode is reported on any thread.
        _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in
          Task { @MainActor in AnimationSettings.shared.update() }
        }
      }
    }

    /// Returns whether an animation may play in a view that is visible.
    func permit(_ playback: WebPViewOptions.Playback) -> Bool {
      playback.isPermitted(!reducesMotion && playsAnimatedImages, savesPower: savesPower)
    }

    func observe(_ observer: @escaping () -> Bool) { observers.append(observer) }

    private func update() {
      read()
      observers = observers.filter { $0() }
    }

    private func read() {
      #if canImport(UIKit) && !os(watchOS)
        reducesMotion = UIAccessibility.isReduceMotionEnabled
      #elseif canImport(AppKit)
        reducesMotion = NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
      #endif
      #if canImport(Accessibility)
        if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { playsAnimatedImages = AXAnimatedImagesEnabled() }
      #endif
      if #available(macOS 12, *) { savesPower = ProcessInfo.processInfo.isLowPowerModeEnabled }
    }

    /// The notifications of changes. Before iOS 18, the setting Animated Images has none in Swift. It is changed in
    /// another app, so it is read when this app becomes active.
    private var changes: [(NotificationCenter, Notification.Name)] {
      var changes: [(NotificationCenter, Notification.Name)] = []
      #if canImport(UIKit) && !os(watchOS)
        changes += [
          (.default, UIAccessibility.reduceMotionStatusDidChangeNotification),
          (.default, UIApplication.didBecomeActiveNotification),
        ]
      #elseif canImport(AppKit)
        changes += [
          (NSWorkspace.shared.notificationCenter, NSWorkspace.accessibilityDisplayOptionsDidChangeNotification),
          (.default, NSApplication.didBecomeActiveNotification),
        ]
      #endif
      #if canImport(Accessibility)
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
          changes.append((.default, AccessibilitySettings.animatedImagesEnabledDidChangeNotification))
        }
      #endif
      if #available(macOS 12, *) { changes.append((.default, .NSProcessInfoPowerStateDidChange)) }
      return changes
    }
  }
#endif
