#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  import CoreGraphics
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  /// Loads and shows the images of one image view.
  ///
  /// A view is often given its image before it is laid out. Therefore, an image is decoded after the next layout pass,
  /// for the bounds of the view and the scale of its screen, and again if both require more pixels later. A view that
  /// is sized by its image has no bounds yet: it then receives an empty image of the final size, and the image is
  /// decoded for the bounds that result from it. If it has no bounds after that either, such as a banner whose height
  /// the completion sets, the image is decoded for the screen.
  ///
  /// The driver shows rows and frames only while the view shows what the driver has set last. If the app has set
  /// another image, only the first complete image of a load replaces it.
  @MainActor
  final class ImageViewDriver {
    typealias Completion = ImagePresenter<CGImage>.Completion

    private weak var view: WebPPlatformImageView?
    private var reporter: LayoutReporter?
    private var load: ImageLoad?
    private var placeholder: WebPPlatformImage?
    private var loadCount = 0
    /// The image that the driver has set last, or will set when the load is complete. Nil if it is none.
    private var written: WebPPlatformImage?
    /// The shown image, and the number of its pixels for each pixel of an image that is not decoded for the view.
    private var shown: (image: CGImage, density: Double)?
    /// The number of pixels per point of `written`.
    private var shownScale: CGFloat?
    /// The size of the image without scaling, in pixels.
    private var size: WebP.Size?
    /// Indicates whether the view has no bounds after a layout pass.
    private var isEmptyAfterLayout = false
    /// Indicates whether the view has received an empty image of the final size.
    private var hasEmptyImage = false
    /// The image to show before there is another one. Nil after it was shown, or replaced by an image in memory.
    private var duePlaceholder: WebPPlatformImage??

    /// Turns an image into the image that the view shows.
    var modifier: (@MainActor (WebPPlatformImage) -> WebPPlatformImage)?
    /// The image to show after a failure.
    var failureImage: WebPPlatformImage?
    /// Indicates when animations play. Nil for the option of the load.
    private var control: WebPViewOptions.Playback.Control?

    private lazy var presenter: ImagePresenter<CGImage> = {
      let clock: (any FrameClock)? = view.map { ViewClock($0) { [weak self] in self?.mayPlay ?? false } }
      let presenter = ImagePresenter(clock ?? SleepingClock(), .drawable) { [weak self] in self?.receive($0) }
      presenter.mayPlay = true  // as far as the clock permits
      return presenter
    }()

    init(_ view: WebPPlatformImageView) { self.view = view }

    private var mayPlay: Bool {
      guard var playback = load?.viewOptions.playback else { return false }
      if let control { playback.control = control }
      return AnimationSettings.shared.permit(playback)
    }

    /// Shows a placeholder without a load.
    func show(placeholder: WebPPlatformImage?, _ completion: Completion) {
      cancel()
      load = nil
      write(placeholder)
      completion(.failure(WebP.LoadError(URLError(.badURL), url: nil)))
    }

    func load(
      _ source: WebPSource, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options,
      _ viewOptions: WebPViewOptions, _ placeholder: WebPPlatformImage?, _ completion: @escaping Completion
    ) {
      guard let view else { return completion(.failure(CancellationError())) }
      let load = ImageLoad(source, loader, options, viewOptions, isScaled: view.scaling != nil)
      let joins = presenter.joins(load)
      let continued = presenter.continues(load) ? written : nil
      if source != self.load?.source { control = nil }
      (self.load, self.placeholder) = (load, placeholder)
      loadCount += 1
      if !joins {
        removeFade()
        (shown, size, shownScale, isEmptyAfterLayout, hasEmptyImage) = (nil, nil, nil, false, false)
        written = view.image
        presenter.forgetDisplayed()
      }
      if shown == nil, !hasEmptyImage {
        duePlaceholder = .some(continued ?? (viewOptions.delaysPlaceholder ? nil : placeholder))
      } else if view.image !== written {
        view.image = written
      }
      let count = loadCount
      presenter.load(load, completion: completion)
      guard loadCount == count else { return }  // a completion has set another image
      showPlaceholder()
      let reporter = reporter ?? LayoutReporter { [weak self] in self?.measure(isLate: false) }
      self.reporter = reporter
      view.requestLayout(reporter)
    }

    func cancel() {
      loadCount += 1
      removeFade()
      presenter.cancel()
    }

    /// Plays or pauses the animation of the current load.
    func setControl(_ control: WebPViewOptions.Playback.Control) {
      self.control = control
      if control == .play { presenter.restartIfEnded() }
    }

    private func receive(_ change: ImagePresenter<CGImage>.Change) {
      switch change {
      case .size(let size):
        self.size = size
        if isEmptyAfterLayout { reserveSpace() }
      case .needsSize: measure(isLate: true)
      case .image(let image, let density, let fadesIn):
        shown = (image, density)
        duePlaceholder = nil
        show(fade: fadesIn ? load?.viewOptions.fade : nil)
      case .loaded:
        showPlaceholder()
        if let view, view.image !== written, load?.viewOptions.showsImage == true { view.image = written }
      case .progress: break  // `options.onProgress` receives it
      case .failure:
        guard let load, !presenter.isComplete, shown == nil || failureImage != nil else { return }
        if let image = failureImage ?? (load.viewOptions.delaysPlaceholder ? placeholder : nil) {
          write(image)
        }
      }
    }

    /// Determines the size that the image is decoded for.
    ///
    /// - Parameter isLate: whether there was time for a layout pass.
    private func measure(isLate: Bool) {
      guard let view, load != nil else { return }
      if presenter.isComplete, view.image !== written { return presenter.cancel() }
      guard let scale = view.pixelsPerPoint else { return isLate ? decodeForScreen() : () }
      let (width, height) = (Double(view.bounds.width * scale), Double(view.bounds.height * scale))
      isEmptyAfterLayout = width < 1 || height < 1
      if !isEmptyAfterLayout {
        presenter.setDisplayed(DecodedBox(width: width, height: height, view.scaling == .covers ? .covers : .fits))
      } else if presenter.isWaitingForSize, hasEmptyImage || shown != nil || isLate && size == nil {
        decodeForScreen()
      } else {
        reserveSpace()
      }
      if let shownScale, shownScale != pixelsPerPoint, view.image === written { show(fade: nil) }
    }

    /// Gives a view without bounds the size that its image will have.
    private func reserveSpace() {
      guard shown == nil, !hasEmptyImage, let size, let view, let scale = pixelsPerPoint else { return }
      hasEmptyImage = true
      write(view.makeEmptyImage(CGSize(width: CGFloat(size.width) / scale, height: CGFloat(size.height) / scale)))
      if let reporter { view.requestLayout(reporter) }
      presenter.requestSize()
    }

    private func decodeForScreen() {
      let size = view?.screenSize
      presenter.setDisplayed(size.flatMap { DecodedBox(width: Double($0.width), height: Double($0.height), .fits) })
    }

    /// The number of pixels per point of an image that is not decoded for the view.
    private var pixelsPerPoint: CGFloat? {
      let number = load?.viewOptions.scale.pixelsPerPoint(load?.source.url)
      return number.map { CGFloat($0) } ?? view?.pixelsPerPoint
    }

    /// Shows the image. Its size in points does not depend on the size that it was decoded for.
    private func show(fade: WebPViewOptions.Fade?) {
      guard let shown, let view else { return }
      let scale = pixelsPerPoint
      shownScale = scale
      let image = view.makeImage(shown.image, pixelsPerPoint: (scale ?? 1) * CGFloat(shown.density))
      let isOwn = view.image === written
      let isModified = !presenter.showsAnimation || load?.viewOptions.modifiesAnimations == true
      written = isModified ? modifier?(image) ?? image : image
      if isOwn {
        if let fade, fade.seconds > 0 { addFade(fade) }
        view.image = written
      } else if presenter.isComplete {
        presenter.cancel()  // the app has set another image
      }
    }

    private func showPlaceholder() {
      guard let placeholder = duePlaceholder else { return }
      duePlaceholder = nil
      write(placeholder)
    }

    private func write(_ image: WebPPlatformImage?) {
      written = image
      view?.image = image
    }

    private func addFade(_ fade: WebPViewOptions.Fade) {
      let transition = CATransition()
      transition.type = .fade
      transition.duration = fade.seconds
      transition.timingFunction = CAMediaTimingFunction(name: fade.curve.name)
      layer?.add(transition, forKey: fadeKey)
    }

    private func removeFade() { layer?.removeAnimation(forKey: fadeKey) }

    /// The layer that a new image fades in. On macOS, it may be missing.
    private var layer: CALayer? { view?.layer }
  }

  private let fadeKey = "WebP fade"

  extension WebPViewOptions.Fade.Curve {
    fileprivate var name: CAMediaTimingFunctionName {
      switch self {
      case .linear: .linear
      case .easeIn: .easeIn
      case .easeOut: .easeOut
      case .easeInOut: .easeInEaseOut
      }
    }
  }

  /// An address that identifies the driver of a view among its associated objects.
  @MainActor private let driverKey = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

  extension WebPPlatformImageView {
    /// The driver of the view. Nil until the first load.
    var existingDriver: ImageViewDriver? {
      unsafe objc_getAssociatedObject(self, driverKey) as? ImageViewDriver
    }

    var driver: ImageViewDriver {
      if let existingDriver { return existingDriver }
      let driver = ImageViewDriver(self)
      unsafe objc_setAssociatedObject(self, driverKey, driver, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return driver
    }
  }
#endif
