#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  extension NSImageView {
    /// Loads and shows a WebP: first the placeholder, then the rows that have arrived, then the complete image. The
    /// first image from the network fades in if the view has a layer. Animations play while the window is visible,
    /// unless the user has disabled animated images or enabled Reduce Motion or Low Power Mode.
    ///
    /// A call cancels the previous load of the view, so that a reused cell never shows an earlier image. An image in
    /// the memory of the loader is shown before the call returns, without a placeholder. If it is smaller than the
    /// view, it is shown until the right one is ready.
    ///
    /// If the view scales its image, it is decoded after the next layout pass in a window, in the size that the view
    /// shows on the screen of the window. If the view later needs more pixels, the image is decoded again. The size of
    /// the shown image in points does not depend on this: it is the size of the upright image in pixels, divided by the
    /// scale of the screen. A view without constraints for its size receives an empty image of this size first.
    ///
    /// - Parameters:
    ///   - url: The URL of the image. If it is nil, only the placeholder is shown.
    ///   - loader: The loader, which several views can share.
    ///   - placeholder: The image to show until the first rows arrive.
    ///   - options: The options of the load.
    ///   - viewOptions: How the image is shown.
    ///   - completion: Called with the complete image, or with an error. Not called after cancellation. If the image is
    ///     decoded for the view, not called before the next layout pass.
    public func setWebP(
      _ url: URL?, loader: WebP.ImageLoader, placeholder: NSImage? = nil,
      options: WebP.ImageLoader.Options = .init(), viewOptions: WebPViewOptions = .init(),
      completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void = { _ in }
    ) {
      driver.load(
        .init(
          url: url, loader: loader, placeholder: placeholder, options: options, viewOptions: viewOptions,
          completion: completion))
    }

    /// Cancels the load of the view, and ends the playback. Call it in `prepareForReuse()`.
    public func cancelWebP() { existingDriver?.cancel() }
  }

  extension NSImageView: DrivenImageView {
    var pixelsPerPoint: CGFloat? { window?.backingScaleFactor }

    var scaling: ImageScaling? {
      switch imageScaling {
      case .scaleProportionallyDown, .scaleProportionallyUpOrDown: .fits
      case .scaleAxesIndependently: .covers
      default: nil
      }
    }

    var fadingLayer: CALayer? { layer }

    func makeClock() -> any FrameClock { WindowClock(self) }

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

  /// A clock that stands still while its view is not visible, the user does not permit animated images, or the device
  /// is in Low Power Mode.
  @MainActor
  private final class WindowClock: FrameClock {
    private weak var view: NSView?
    private let clock = SleepingClock()

    init(_ view: NSView) { self.view = view }

    var now: Double { clock.now }

    func wait(until time: Double) async {
      await clock.wait(until: time)
      while !mayPlay, !Task.isCancelled { await clock.wait(until: now + 0.25) }
    }

    private var mayPlay: Bool {
      guard let view else { return true }
      let isVisible =
        view.window?.occlusionState.contains(.visible) ?? false && !view.isHiddenOrHasHiddenAncestor
        && !view.visibleRect.isEmpty
      return isVisible
        && AnimationSettings.permitAnimations(
          reducesMotion: NSWorkspace.shared.accessibilityDisplayShouldReduceMotion)
    }
  }
#endif
