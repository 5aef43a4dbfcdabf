#if canImport(UIKit) && !os(watchOS)
  import QuartzCore
  import UIKit

  /// A clock that follows the display. It stands still while its view is not visible, the user does not permit animated
  /// images, or the device is in Low Power Mode.
  @MainActor
  final class DisplayLinkClock: NSObject, FrameClock {
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
          link = CADisplayLink(target: self, selector: #selector(refresh))
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

    @objc private func refresh() {
      idleCount += waiting.isEmpty ? 1 : 0
      guard let view, idleCount < 60 else { return stop() }
      let mayPlay = !UIAccessibility.isReduceMotionEnabled && !ProcessInfo.processInfo.savesPower && view.isVisible
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
