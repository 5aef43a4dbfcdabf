#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import PureWebP
  import QuartzCore
  import UIKit
  import WebPLoading

  extension UIImageView {
    /// The number of pixels per point of the screen. Nil until it is known.
    var pixelsPerPoint: CGFloat? {
      let scale = traitCollection.displayScale
      return scale > 0 ? scale : nil  // 0 if it is not specified
    }

    /// The largest size in which the view can be shown, in pixels.
    var screenSize: CGSize? {
      #if os(visionOS)
        return CGSize(width: 2560, height: 1440)
      #else
        let screen = window?.screen ?? .main
        return CGSize(width: screen.bounds.width * screen.scale, height: screen.bounds.height * screen.scale)
      #endif
    }

    /// The relation of the shown image to the bounds. Nil if the image is not scaled.
    var scaling: ImageScaling? {
      switch contentMode {
      case .scaleAspectFit: .fits
      case .scaleAspectFill, .scaleToFill, .redraw: .covers
      default: nil
      }
    }

    /// Adds a reporter if it is not in the view, and requests a layout pass.
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

    /// Creates a transparent image with a size in points.
    func makeEmptyImage(_ size: CGSize) -> UIImage? {
      emptyImage(size).map { UIImage(cgImage: $0, scale: CGFloat($0.width) / size.width, orientation: .up) }
    }
  }

  /// A clear subview that is resized with its superview, and so takes part in its layout. It is not hidden, because no
  /// documentation states that hidden views are laid out.
  final class LayoutReporter: UIView {
    private let report: @MainActor () -> Void

    init(_ report: @escaping @MainActor () -> Void) {
      self.report = report
      super.init(frame: .zero)
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

  /// A clock that follows the display. It stands still while its view is not visible, or animations may not play.
  @MainActor
  final class ViewClock: FrameClock {
    private weak var view: UIView?
    private let isPermitted: @MainActor () -> Bool
    /// Retains the clock until `stop`.
    private var link: CADisplayLink?
    /// The number of refreshes since a task has waited.
    private var idleCount = 0
    /// The tasks that wait for the next refresh of the display.
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ view: UIView, _ isPermitted: @escaping @MainActor () -> Bool) {
      self.view = view
      self.isPermitted = isPermitted
    }

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
      let mayPlay = isPermitted() && view.isVisible
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
      // UIView.h: an alpha below 0.01 is the limit below which views receive no events either.
      let isShown = !sequence(first: self) { $0.superview }.contains { $0.isHidden || $0.alpha < 0.01 }
      guard isShown, !bounds.isEmpty, let window else { return false }
      return window.bounds.intersects(convert(bounds, to: window))
    }
  }
#endif
