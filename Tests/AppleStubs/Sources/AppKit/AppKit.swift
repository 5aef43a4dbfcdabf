// Declarations of AppKit (macOS 10.15): NSImage.h, NSGraphicsContext.h, NSScreen.h, NSView.h, NSWindow.h,
// NSImageView.h, NSWorkspace.h, NSCell.h.
@_exported import CoreGraphics
@_exported import QuartzCore

open class NSImage: NSObject {
  public enum CacheMode: UInt, Sendable { case `default`, always, bySize, never }
  open var cacheMode = CacheMode.default
  public convenience init(cgImage: CGImage, size: NSSize) { self.init() }
  public convenience init(
    size: NSSize, flipped: Bool, drawingHandler: @escaping @Sendable (_ destination: NSRect) -> Bool
  ) { self.init() }
}

open class NSGraphicsContext: NSObject {
  open class var current: NSGraphicsContext? { nil }
  open var cgContext: CGContext { fatalError() }
}

@MainActor open class NSScreen: NSObject {
  open class var screens: [NSScreen] { [] }
  open var frame: NSRect { .zero }
}

@MainActor open class NSView: NSObject {
  open var bounds: NSRect { .zero }
  open var window: NSWindow? { nil }
  open var layer: CALayer?
  open var isHiddenOrHasHiddenAncestor: Bool { false }
  open var visibleRect: NSRect { .zero }
}

@MainActor open class NSWindow: NSObject {
  public struct OcclusionState: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let visible = OcclusionState(rawValue: 2)
  }

  open var occlusionState: OcclusionState { [] }
  open var backingScaleFactor: CGFloat { 1 }
}

public enum NSImageScaling: UInt, Sendable {
  case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

@MainActor open class NSImageView: NSView {
  open var image: NSImage?
  open var imageScaling = NSImageScaling.scaleProportionallyDown
}

open class NSWorkspace: NSObject {
  open class var shared: NSWorkspace { NSWorkspace() }
  open var accessibilityDisplayShouldReduceMotion: Bool { false }
}
