#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import PureWebP
  import QuartzCore
  import UIKit
  import WebPLoading

  extension UIImageView {
    /// Loads and shows a WebP: first the placeholder, then the rows that have arrived, then the complete image. The
    /// first image from the network fades in. Animations play while the view is visible, unless the user has disabled
    /// animated images or enabled Reduce Motion or Low Power Mode.
    ///
    /// ```swift
    /// cell.photo.setWebP(url, loader: loader, placeholder: UIImage(named: "gray"))
    /// ```
    ///
    /// A call cancels the previous load of the view, so that a reused cell never shows an earlier image. An image in
    /// the memory of the loader is shown before the call returns, without a placeholder. If it is smaller than the
    /// view, it is shown until the right one is ready.
    ///
    /// If the content mode scales the image, it is decoded after the next layout pass, in the size that the view shows
    /// on its screen. If the view later needs more pixels, the image is decoded again. The size of the shown image in
    /// points does not depend on this: it is the size of the upright image in pixels, divided by the scale of the
    /// screen. A view without constraints for its size receives an empty image of this size first.
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
      _ url: URL?, loader: WebP.ImageLoader, placeholder: UIImage? = nil,
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

  extension UIImageView: DrivenImageView {
    var pixelsPerPoint: CGFloat? {
      let scale = traitCollection.displayScale
      return scale > 0 ? scale : nil  // 0 if it is not specified
    }

    var scaling: ImageScaling? {
      switch contentMode {
      case .scaleAspectFit: .fits
      case .scaleAspectFill, .scaleToFill, .redraw: .covers
      default: nil
      }
    }

    var fadingLayer: CALayer? { layer }

    func makeClock() -> any FrameClock { DisplayLinkClock(self) }

    func makeReporter(_ report: @escaping @MainActor () -> Void) -> LayoutReporter { LayoutReporter(report) }

    func requestLayout(_ reporter: LayoutReporter) {
      if reporter.superview !== self {
        reporter.frame = bounds
        addSubview(reporter)
      }
      reporter.setNeedsLayout()
    }

    func makeImage(_ image: CGImage, pixelsPerPoint: CGFloat) -> UIImage {
      UIImage(cgImage: image, scale: pixelsPerPoint, orientation: .up)
    }

    func makeEmptyImage(_ size: CGSize) -> UIImage? {
      emptyImage(size).map { UIImage(cgImage: $0, scale: CGFloat($0.width) / size.width, orientation: .up) }
    }
  }

  /// A hidden subview that is resized with its superview, and so takes part in its layout.
  final class LayoutReporter: UIView {
    private let report: @MainActor () -> Void

    init(_ report: @escaping @MainActor () -> Void) {
      self.report = report
      super.init(frame: .zero)
      isHidden = true
      isUserInteractionEnabled = false
      autoresizingMask = [.flexibleWidth, .flexibleHeight]
    }

    required init?(coder: NSCoder) { nil }

    override func layoutSubviews() {
      super.layoutSubviews()
      report()
    }

    /// The window, and with it the scale of the screen. The bounds may be changed in the layout pass that follows.
    override func didMoveToWindow() {
      super.didMoveToWindow()
      setNeedsLayout()
    }

    override func traitCollectionDidChange(_ previous: UITraitCollection?) {
      super.traitCollectionDidChange(previous)
      setNeedsLayout()
    }
  }

  /// A clock that follows the display. It stands still while its view is not visible, the user does not permit animated
  /// images, or the device is in Low Power Mode.
  @MainActor
  private final class DisplayLinkClock: FrameClock {
    private weak var view: UIView?
    /// Retains the clock until `stop`.
    private var link: CADisplayLink?
    /// The number of refreshes since a task has waited.
    private var idleCount = 0
    /// The tasks that wait for the next refresh of the display.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ view: UIView) { self.view = view }

    var now: Double { CACurrentMediaTime() }

    func wait(until time: Double) async {
      repeat {
        if link == nil {
          link = CADisplayLink { self.refresh() }
          link?.add(to: .main, forMode: .common)
        }
        idleCount = 0
        await withCheckedContinuation { waiting.append($0) }
      } while now < time && !Task.isCancelled
    }

    /// Ends all waits.
    func stop() {
      link?.invalidate()
      link = nil
      resume()
    }

    private func refresh() {
      idleCount += waiting.isEmpty ? 1 : 0
      guard let view, idleCount < 60 else { return stop() }
      let mayPlay =
        view.isVisible && AnimationSettings.permitAnimations(reducesMotion: UIAccessibility.isReduceMotionEnabled)
      // While nothing is shown, a few looks per second suffice.
      link?.preferredFramesPerSecond = mayPlay ? 0 : 4
      if mayPlay { resume() }
    }

    private func resume() {
      let waiting = waiting
      self.waiting = []
      for continuation in waiting { continuation.resume() }
    }
  }

  extension UIView {
    /// Indicates whether a part of the view lies in its window.
    fileprivate var isVisible: Bool {
      let isShown = !sequence(first: self) { $0.superview }.contains { $0.isHidden || $0.alpha == 0 }
      guard isShown, let window else { return false }
      return window.bounds.intersects(convert(bounds, to: window))
    }
  }
#endif
