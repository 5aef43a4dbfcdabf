// Double of AppKit (macOS 10.15): NSImage.h, NSGraphicsContext.h, NSScreen.h, NSView.h, NSWindow.h, NSImageView.h,
// NSWorkspace.h, NSCell.h.
@_exported import CoreGraphics
@_exported import QuartzCore

open class NSImage: NSObject, @unchecked Sendable {
  public enum CacheMode: UInt, Sendable { case `default`, always, bySize, never }
  open var cacheMode = CacheMode.default
  /// The size in points.
  public let size: NSSize
  /// The pixels, for tests.
  public let pixels: CGImage?
  private let drawingHandler: (@Sendable (NSRect) -> Bool)?
  /// The values of `objc_setAssociatedObject`. Stubs of libraries use them.
  public var associatedObjects: [String: any Sendable] = [:]

  public init(cgImage: CGImage, size: NSSize) { (pixels, self.size, drawingHandler) = (cgImage, size, nil) }
  public init(size: NSSize) { (pixels, self.size, drawingHandler) = (nil, size, nil) }
  public init(size: NSSize, flipped: Bool, drawingHandler: @escaping @Sendable (_ destination: NSRect) -> Bool) {
    (pixels, self.size, self.drawingHandler) = (nil, size, drawingHandler)
  }
}

open class NSGraphicsContext: NSObject {
  open class var current: NSGraphicsContext? { nil }
  open var cgContext: CGContext { fatalError("no context is current") }
}

@MainActor open class NSScreen: NSObject {
  open class var screens: [NSScreen] { [main].compactMap { $0 } }
  /// Nil without a display. Changed by tests.
  public static var main: NSScreen? = NSScreen()
  open var frame: NSRect { NSRect(x: 0, y: 0, width: 400, height: 300) }
  open var backingScaleFactor: CGFloat { 2 }
}

@MainActor open class NSView: NSObject {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let width = AutoresizingMask(rawValue: 2)
    public static let height = AutoresizingMask(rawValue: 16)
  }

  public init(frame frameRect: NSRect) { (origin, size) = (frameRect.origin, frameRect.size) }
  public override convenience init() { self.init(frame: .zero) }
  public required init?(coder: NSCoder) { nil }

  deinit { objc_releaseAssociations(of: ObjectIdentifier(self)) }

  open var frame: NSRect {
    get { NSRect(origin: origin, size: size) }
    set {
      origin = newValue.origin
      setFrameSize(newValue.size)
    }
  }
  private var origin: NSPoint
  private var size: NSSize

  /// "Sets the size of the view's frame rectangle to the specified dimensions, resizing it within its superview". The
  /// property `frame` calls it, and subviews are resized by their masks.
  open func setFrameSize(_ newSize: NSSize) {
    let old = size
    size = newSize
    sizeChanged(from: old)
  }

  open func hitTest(_ point: NSPoint) -> NSView? { self }
  open var bounds: NSRect { NSRect(origin: .zero, size: frame.size) }
  open var autoresizingMask: AutoresizingMask = []
  open var alphaValue: CGFloat = 1
  open var isHidden = false { didSet { if !isHidden { window?.scheduleLayout() } } }
  open var isHiddenOrHasHiddenAncestor: Bool { isHidden || superview?.isHiddenOrHasHiddenAncestor ?? false }
  open var visibleRect: NSRect { bounds }
  open var layer: CALayer?

  public private(set) weak var superview: NSView?
  public private(set) var subviews: [NSView] = []
  open fileprivate(set) var window: NSWindow? {
    get { superview?.window ?? ownWindow }
    set { ownWindow = newValue }
  }
  private weak var ownWindow: NSWindow?

  open func addSubview(_ view: NSView) {
    let before = view.window
    view.superview?.subviews.removeAll { $0 === view }
    view.superview = self
    subviews.append(view)
    (needsLayout, view.needsLayout) = (true, true)
    if before !== window { view.movedToWindow() }
  }

  open func removeFromSuperview() {
    let before = window
    superview?.subviews.removeAll { $0 === self }
    superview = nil
    if before != nil { movedToWindow() }
  }

  /// "Informs the view that it has been added to a new view hierarchy." The window may be nil.
  open func viewDidMoveToWindow() {}
  /// "Informs the view that its backing store properties have changed." Such as the scale factor.
  open func viewDidChangeBackingProperties() {}
  /// "Perform layout in concert with the constraint-based layout system." Called by layout passes of the window.
  open func layout() {}
  open var needsLayout = true { didSet { if needsLayout { window?.scheduleLayout() } } }

  /// Superviews first. AppKit lays out windows before they are drawn. Nothing states that it lays out hidden views.
  open func layoutSubtreeIfNeeded() {
    if isHidden { return }
    if needsLayout {
      needsLayout = false
      layout()
    }
    for view in subviews { view.layoutSubtreeIfNeeded() }
  }

  private func sizeChanged(from old: NSSize) {
    if size == old { return }
    needsLayout = true
    let (width, height) = (size.width - old.width, size.height - old.height)
    for view in subviews {
      var size = view.size
      if view.autoresizingMask.contains(.width) { size.width += width }
      if view.autoresizingMask.contains(.height) { size.height += height }
      view.setFrameSize(size)
    }
  }

  fileprivate func movedToWindow() {
    if window != nil { needsLayout = true }
    viewDidMoveToWindow()
    for view in subviews { view.movedToWindow() }
  }

  fileprivate func backingChanged() {
    viewDidChangeBackingProperties()
    for view in subviews { view.backingChanged() }
  }
}

@MainActor open class NSWindow: NSObject {
  public struct OcclusionState: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let visible = OcclusionState(rawValue: 2)
  }

  open var screen: NSScreen? { NSScreen.main }
  open var occlusionState: OcclusionState = .visible
  open var backingScaleFactor: CGFloat = 2 { didSet { contentView?.backingChanged() } }
  open var contentView: NSView? {
    didSet {
      contentView?.window = self
      contentView?.movedToWindow()
    }
  }
  private var isLayoutScheduled = false

  /// Lays out in the next turn of the main queue.
  fileprivate func scheduleLayout() {
    if isLayoutScheduled { return }
    isLayoutScheduled = true
    Task { @MainActor [weak self] in
      self?.isLayoutScheduled = false
      self?.contentView?.layoutSubtreeIfNeeded()
    }
  }
}

public enum NSImageScaling: UInt, Sendable {
  case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

@MainActor open class NSImageView: NSView {
  open var image: NSImage? { didSet { onImage?(image) } }
  /// For tests.
  public var onImage: ((NSImage?) -> Void)?
  open var imageScaling = NSImageScaling.scaleProportionallyDown
}

open class NSWorkspace: NSObject, @unchecked Sendable {
  public static let shared = NSWorkspace()
  /// NSWorkspace.h: the notifications of the workspace are posted to its own center.
  public let notificationCenter = NotificationCenter()
  public static let accessibilityDisplayOptionsDidChangeNotification = Notification.Name("accessibilityDisplayOptions")
  open var accessibilityDisplayShouldReduceMotion: Bool { reducesMotion }
  /// Changed by tests.
  public var reducesMotion = false {
    didSet {
      notificationCenter.post(name: Self.accessibilityDisplayOptionsDidChangeNotification, object: nil)
    }
  }
}

/// The notification is posted by tests.
public enum NSApplication {
  public static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
}
