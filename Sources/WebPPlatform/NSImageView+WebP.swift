#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  extension NSImageView: DrivenImageView {
    var pixelsPerPoint: CGFloat? { window?.backingScaleFactor }

    var screenSize: CGSize? {
      guard let screen = window?.screen ?? .main else { return nil }
      let scale = screen.backingScaleFactor
      return CGSize(width: screen.frame.width * scale, height: screen.frame.height * scale)
    }

    var scaling: ImageScaling? {
      switch imageScaling {
      case .scaleProportionallyDown, .scaleProportionallyUpOrDown: .fits
      case .scaleAxesIndependently: .covers
      default: nil
      }
    }

    var fadingLayer: CALayer? { layer }

    func makeClock(_ mayPlay: @escaping @MainActor () -> Bool) -> any FrameClock { WindowClock(self, mayPlay) }

    func makeReporter(_ report: @escaping @MainActor () -> Void) -> LayoutReporter { LayoutReporter(report) }

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
  private final class WindowClock: FrameClock {
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
