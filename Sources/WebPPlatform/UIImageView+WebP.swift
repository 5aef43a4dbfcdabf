#if canImport(UIKit) && !os(watchOS)
  import Foundation
  import PureWebP
  import QuartzCore
  import UIKit
  import WebPLoading

  extension UIImageView {
    /// Loads and shows a WebP: first the placeholder, then the rows that have arrived, then the complete image. The
    /// first image from the network fades in. Animations play while the view is visible, unless the user has enabled
    /// Reduce Motion or Low Power Mode.
    ///
    /// ```swift
    /// cell.photo.setWebP(url, loader: loader, placeholder: UIImage(named: "gray"))
    /// ```
    ///
    /// A call cancels the previous load of the view, so that a reused cell never shows an earlier image. If the view
    /// has a size and scales its contents, the image is decoded for that size.
    ///
    /// - Parameters:
    ///   - url: The URL of the image. If it is nil, only the placeholder is shown.
    ///   - loader: The loader, which several views can share.
    ///   - placeholder: The image to show until the first rows arrive. With the option `delaysPlaceholder`, it is shown
    ///     only if loading fails.
    ///   - options: The options of the load.
    ///   - fadeSeconds: The duration of the fade-in of an image from the network, in seconds.
    ///   - completion: Called with the complete image before it is shown, or with an error. Not called after
    ///     cancellation.
    public func setWebP(
      _ url: URL?, loader: WebP.ImageLoader, placeholder: UIImage? = nil,
      options: WebP.ImageLoader.Options = .init(), fadeSeconds: Double = 0.25,
      completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void = { _ in }
    ) {
      cancelWebP()
      image = options.delaysPlaceholder ? nil : placeholder
      guard let url else { return }
      let presenter = ImagePresenter(loader, DisplayLinkClock(self), drawable) { [weak self] change in
        switch change {
        case .size(let width, let height): self?.displaySizeChanged(width: width, height: height)
        case .image(let image, let fadesIn): self?.show(image, fadeSeconds: fadesIn ? fadeSeconds : 0)
        case .loaded(let loaded): completion(.success(loaded))
        case .progress: break  // `options.onProgress` receives it
        case .failure(let error):
          if options.delaysPlaceholder { self?.image = placeholder }
          completion(.failure(error))
        }
      }
      currentPresenter = presenter
      presenter.setDisplayedSize(
        width: Double(bounds.width * displayScale), height: Double(bounds.height * displayScale))
      presenter.mayPlay = true  // as far as the clock permits
      presenter.load(.init(url, options, scalesToView: scalesContents))
    }

    /// Cancels the load of the view, and ends the playback. Call it in `prepareForReuse()`.
    public func cancelWebP() {
      currentPresenter?.cancel()
      currentPresenter = nil
    }

    private var currentPresenter: ImagePresenter<CGImage>? {
      get { unsafe objc_getAssociatedObject(self, presenterKey) as? ImagePresenter<CGImage> }
      set { unsafe objc_setAssociatedObject(self, presenterKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC) }
    }

    private var displayScale: CGFloat { max(1, traitCollection.displayScale) }

    private var scalesContents: Bool {
      switch contentMode {
      case .scaleToFill, .scaleAspectFit, .scaleAspectFill, .redraw: true
      default: false
      }
    }

    /// An image that fills the view can be larger than the view.
    private func displaySizeChanged(width: Int, height: Int) {
      guard contentMode == .scaleAspectFill else { return }
      let side = DecodedSide.filling(
        width: Double(bounds.width * displayScale), height: Double(bounds.height * displayScale),
        imageWidth: Double(width), imageHeight: Double(height))
      currentPresenter?.setDisplayedSize(width: side, height: side)
    }

    private func show(_ image: CGImage, fadeSeconds: Double) {
      if fadeSeconds > 0 {
        let transition = CATransition()
        transition.type = .fade
        transition.duration = fadeSeconds
        layer.add(transition, forKey: "WebP fade")
      }
      self.image = UIImage(cgImage: image, scale: displayScale, orientation: .up)
    }
  }

  /// An address that identifies the associated object.
  @MainActor private let presenterKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

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
