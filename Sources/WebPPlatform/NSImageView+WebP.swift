#if canImport(AppKit) && !targetEnvironment(macCatalyst)
  import AppKit
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  extension NSImageView {
    /// Loads and shows a WebP: first the placeholder, then the rows that have arrived, then the complete image. The
    /// first image from the network fades in if the view has a layer. Animations play while the window is visible,
    /// unless the user has enabled Reduce Motion or Low Power Mode.
    ///
    /// A call cancels the previous load of the view, so that a reused cell never shows an earlier image. If the view
    /// has a size and scales its image, the image is decoded for that size.
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
      _ url: URL?, loader: WebP.ImageLoader, placeholder: NSImage? = nil,
      options: WebP.ImageLoader.Options = .init(), fadeSeconds: Double = 0.25,
      completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void = { _ in }
    ) {
      cancelWebP()
      image = options.delaysPlaceholder ? nil : placeholder
      guard let url else { return }
      let presenter = ImagePresenter(loader, WindowClock(self), drawable) { [weak self] change in
        switch change {
        case .image(let image, let fadesIn): self?.show(image, fadeSeconds: fadesIn ? fadeSeconds : 0)
        case .loaded(let loaded): completion(.success(loaded))
        case .size, .progress: break  // `options.onProgress` receives the progress
        case .failure(let error):
          if options.delaysPlaceholder { self?.image = placeholder }
          completion(.failure(error))
        }
      }
      currentPresenter = presenter
      presenter.setDisplayedSize(
        width: Double(bounds.width * displayScale), height: Double(bounds.height * displayScale))
      presenter.mayPlay = true  // as far as the clock permits
      presenter.load(.init(url, options, scalesToView: imageScaling != .scaleNone))
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

    private var displayScale: CGFloat { max(1, window?.backingScaleFactor ?? 1) }

    private func show(_ image: CGImage, fadeSeconds: Double) {
      if fadeSeconds > 0 {
        let transition = CATransition()
        transition.type = .fade
        transition.duration = fadeSeconds
        layer?.add(transition, forKey: "WebP fade")
      }
      let size = NSSize(width: CGFloat(image.width) / displayScale, height: CGFloat(image.height) / displayScale)
      self.image = NSImage(cgImage: image, size: size)
    }
  }

  /// An address that identifies the associated object.
  @MainActor private let presenterKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

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
      return isVisible && !NSWorkspace.shared.accessibilityDisplayShouldReduceMotion
        && !ProcessInfo.processInfo.savesPower
    }
  }
#endif
