// Double of UIKit (iOS 13): UIImage.h, UIView.h, UIImageView.h, UIScreen.h, UIAccessibility.h, UITraitCollection.h. The
// comments cite the headers and the documentation of each class.
@_exported import CoreGraphics
@_exported import QuartzCore

open class UIImage: NSObject, @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }

  public let cgImage: CGImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation
  public let images: [UIImage]?
  public let duration: TimeInterval
  /// The values of `objc_setAssociatedObject`. Stubs of libraries use them.
  public var associatedObjects: [String: any Sendable] = [:]

  /// The size of the oriented image, in points.
  public var size: CGSize {
    guard let image = cgImage else { return .zero }
    let (width, height) = (CGFloat(image.width) / scale, CGFloat(image.height) / scale)
    switch imageOrientation {
    case .up, .down, .upMirrored, .downMirrored: return CGSize(width: width, height: height)
    case .left, .right, .leftMirrored, .rightMirrored: return CGSize(width: height, height: width)
    }
  }

  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.cgImage = cgImage
    self.scale = scale
    imageOrientation = orientation
    images = nil
    duration = 0
  }

  /// The initializer that `animatedImage` uses.
  private init(images: [UIImage], duration: TimeInterval) {
    cgImage = images.first?.cgImage
    scale = images.first?.scale ?? 1
    imageOrientation = .up
    self.images = images
    self.duration = duration
  }

  open class func animatedImage(with images: [UIImage], duration: TimeInterval) -> UIImage? {
    UIImage(images: images, duration: duration)
  }
}

@MainActor open class UITraitCollection: NSObject {
  /// 0 if it is not specified.
  public let displayScale: CGFloat
  init(displayScale: CGFloat) { self.displayScale = displayScale }
}

@MainActor open class UIView: NSObject {
  public enum ContentMode: Int, Sendable {
    case scaleToFill, scaleAspectFit, scaleAspectFill, redraw, center, top, bottom, left, right
    case topLeft, topRight, bottomLeft, bottomRight
  }

  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
  }

  public init(frame: CGRect) { self.frame = frame }
  public override convenience init() { self.init(frame: .zero) }
  public required init?(coder: NSCoder) { nil }

  deinit { objc_releaseAssociations(of: ObjectIdentifier(self)) }

  /// "Setting this property changes the point specified by the center property and changes the size in the bounds
  /// rectangle accordingly."
  open var frame: CGRect { didSet { sizeChanged(from: oldValue.size) } }
  open var bounds: CGRect {
    get { CGRect(origin: .zero, size: frame.size) }
    set { frame.size = newValue.size }
  }
  /// `UIView.noIntrinsicMetric` in both directions.
  open var intrinsicContentSize: CGSize { CGSize(width: -1, height: -1) }
  open var autoresizingMask: AutoresizingMask = []
  open var contentMode = ContentMode.scaleToFill
  /// "A hidden view disappears from its window and does not receive input events. It remains in its superview's list of
  /// subviews, however, and participates in autoresizing as usual." No documentation states that it is laid out, so
  /// that here it is not.
  open var isHidden = false { didSet { if !isHidden { window?.scheduleLayout() } } }
  open var isUserInteractionEnabled = true
  open var alpha: CGFloat = 1
  public let layer = CALayer()

  public private(set) weak var superview: UIView?
  public private(set) var subviews: [UIView] = []
  open var window: UIWindow? { superview?.window }
  /// A view in a window has the scale of the window's screen. Other views have the scale of the main screen.
  open var traitCollection: UITraitCollection {
    UITraitCollection(displayScale: (window?.screen ?? .main).scale)
  }

  /// UIView.h: the view is removed from another superview first, and the superview retains it.
  open func addSubview(_ view: UIView) {
    let before = view.window
    view.superview?.subviews.removeAll { $0 === view }
    view.superview = self
    subviews.append(view)
    setNeedsLayout()
    view.setNeedsLayout()
    if before !== window { view.movedToWindow() }
  }

  open func removeFromSuperview() {
    let before = window
    superview?.subviews.removeAll { $0 === self }
    superview?.setNeedsLayout()
    superview = nil
    if before != nil { movedToWindow() }
  }

  /// Called after the window has changed. The property `window` may be nil.
  open func didMoveToWindow() {}
  /// Called when a trait such as the display scale changes.
  open func traitCollectionDidChange(_ previous: UITraitCollection?) {}

  /// Called by layout passes for views whose size has changed, or for which `setNeedsLayout` was called.
  open func layoutSubviews() {}
  private var needsLayout = true { didSet { if needsLayout { window?.scheduleLayout() } } }
  open func setNeedsLayout() { needsLayout = true }

  /// Lays out this view and its subviews, superviews first. A run loop does this for each window before it waits.
  open func layoutIfNeeded() {
    if isHidden { return }
    if needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for view in subviews { view.layoutIfNeeded() }
  }

  open func convert(_ rect: CGRect, to view: UIView?) -> CGRect {
    guard self !== view, let superview else { return rect }
    return superview.convert(rect.offsetBy(dx: frame.minX, dy: frame.minY), to: view)
  }

  private func sizeChanged(from old: CGSize) {
    if frame.size == old { return }
    needsLayout = true
    let (width, height) = (frame.width - old.width, frame.height - old.height)
    for view in subviews {
      var size = view.frame.size
      if view.autoresizingMask.contains(.flexibleWidth) { size.width += width }
      if view.autoresizingMask.contains(.flexibleHeight) { size.height += height }
      view.frame.size = size
    }
  }

  fileprivate func movedToWindow() {
    didMoveToWindow()
    for view in subviews { view.movedToWindow() }
  }

  fileprivate func traitsChanged() {
    traitCollectionDidChange(nil)
    for view in subviews { view.traitsChanged() }
  }
}

@MainActor open class UIWindow: UIView {
  open override var window: UIWindow? { self }
  /// The screen of the window. In UIKit, it is the screen of the scene.
  public var screen = UIScreen.main { didSet { traitsChanged() } }
  private var isLayoutScheduled = false

  /// Lays out in the next turn of the main queue.
  fileprivate func scheduleLayout() {
    if isLayoutScheduled { return }
    isLayoutScheduled = true
    Task { @MainActor [weak self] in
      self?.isLayoutScheduled = false
      self?.layoutIfNeeded()
    }
  }
}

/// UIStackView.h: "arranges" the views that are not hidden, here at their intrinsic sizes, and from top to bottom.
@MainActor open class UIStackView: UIView {
  public private(set) var arrangedSubviews: [UIView] = []

  open func addArrangedSubview(_ view: UIView) {
    arrangedSubviews.append(view)
    addSubview(view)
  }

  open override func layoutSubviews() {
    var top = 0.0
    for view in arrangedSubviews where !view.isHidden {
      let size = view.intrinsicContentSize
      view.frame = CGRect(x: 0, y: top, width: max(0, size.width), height: max(0, size.height))
      top += view.frame.height
    }
  }
}

@MainActor open class UIImageView: UIView {
  /// The image, and a closure for tests that is called when it is set.
  open var image: UIImage? {
    didSet {
      // A change of the intrinsic size makes the superview lay out.
      if image?.size != oldValue?.size { superview?.setNeedsLayout() }
      onImage?(image)
    }
  }
  public var onImage: ((UIImage?) -> Void)?
  /// UIImageView.h: a view without constraints has the size of its image.
  open override var intrinsicContentSize: CGSize { image?.size ?? super.intrinsicContentSize }
}

@MainActor open class UIScreen: NSObject {
  public static let main = UIScreen(scale: 3)
  /// Changed by tests.
  public static var screens = [main]
  public let scale: CGFloat
  public let bounds: CGRect
  public init(scale: CGFloat, bounds: CGRect = CGRect(x: 0, y: 0, width: 390, height: 844)) {
    (self.scale, self.bounds) = (scale, bounds)
  }
}

@MainActor public enum UIAccessibility {
  /// Changed by tests. Reports the change, and counts how often it is read.
  public static var isReduceMotionEnabled: Bool {
    get {
      readCount += 1
      return value
    }
    set {
      value = newValue
      NotificationCenter.default.post(name: reduceMotionStatusDidChangeNotification, object: nil)
    }
  }
  public private(set) static var readCount = 0
  private static var value = false
  public nonisolated static let reduceMotionStatusDidChangeNotification = Notification.Name("reduceMotionStatus")
}

/// The notifications are posted by tests.
public enum UIApplication {
  public static let didBecomeActiveNotification = Notification.Name("didBecomeActive")
  public static let didEnterBackgroundNotification = Notification.Name("didEnterBackground")
  public static let didReceiveMemoryWarningNotification = Notification.Name("didReceiveMemoryWarning")
}
