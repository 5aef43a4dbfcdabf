#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  extension NSImageView {
    /// The number of pixels per point of the screen. Nil until it is known.
    var pixelsPerPoint: CGFloat? { window?.backingScaleFactor }

    /// The largest size in which the view can be shown, in pixels. Nil if there is no screen.
    var screenSize: CGSize? {
      guard let screen = window?.screen ?? .main else { return nil }
      let scale = screen.backingScaleFactor
      return CGSize(width: screen.frame.width * scale, height: screen.frame.height * scale)
    }

    /// The relation of the shown image to the bounds. Nil if the image is not scaled.
    var scaling: ImageScaling? {
      switch imageScaling {
      case .scaleProportionallyDown, .scaleProportionallyUpOrDown: .fits
      case .scaleAxesIndependently: .covers
      default: nil
      }
    }

    /// Adds a reporter if it is not in the view, and requests a layout pass.
    func requestLayout(_ reporter: LayoutReporter) {
      if reporter.superview !== self {
        reporter.frame = bounds
        addSubview(reporter)
      }
      reporter.needsLayout = true
    }

    func makeImage(_ image: CGImage, pixelsPerPoint: CGFloat) -> NSImage {
      let size = NSSize(width: CGFloat(image.width) / pixelsPerPoint, height: CGFloat(image.height) / pixelsPerPoint)
      return NSImage(cgImage: image, size: size)
    }

    /// Creates a transparent image with a size in points.
    func makeEmptyImage(_ size: CGSize) -> NSImage? { NSImage(size: size) }
  }

  /// A subview that draws nothing and is resized with its superview, and so takes part in its layout.
  final class LayoutReporter: NSView {
    private let report: @MainActor () -> Void

    init(_ report: @escaping @MainActor () -> Void) {
      self.report = report
      super.init(frame: .zero)
      autoresizingMask = [.width, .height]
    }

    required init?(coder: NSCoder) { nil }

    override func layout() {
      super.layout()
      report()
    }

    override func setFrameSize(_ newSize: NSSize) {
      super.setFrameSize(newSize)
      needsLayout = true
    }

    /// The window, and with it the scale of the screen. The bounds may be changed in the layout pass that follows.
    override func viewDidMoveToWindow() {
      super.viewDidMoveToWindow()
      needsLayout = true
    }

    override func viewDidChangeBackingProperties() {
      super.viewDidChangeBackingProperties()
      needsLayout = true
    }

    /// The events of the image view stay its own.
    override func hitTest(_ point: NSPoint) -> NSView? { nil }
  }

  /// A clock that stands still while its view is not visible, or animations may not play.
  @MainActor
  final class ViewClock: FrameClock {
    private weak var view: NSView?
    private let isPermitted: @MainActor () -> Bool
    private let clock = SleepingClock()

    init(_ view: NSView, _ isPermitted: @escaping @MainActor () -> Bool) {
      self.view = view
      self.isPermitted = isPermitted
    }

    var now: Double { clock.now }

    func wait(until time: Double) async {
      await clock.wait(until: time)
      while !mayPlay, !Task.isCancelled { await clock.wait(until: now + 0.25) }
    }

    private var mayPlay: Bool {
      guard let view else { return true }
      let isVisible =
        view.window?.occlusionState.contains(.visible) ?? false && !view.isHiddenOrHasHiddenAncestor
        && !view.visibleRect.isEmpty && !sequence(first: view) { $0.superview }.contains { $0.alphaValue < 0.01 }
      return isVisible && isPermitted()
    }
  }
#endif
