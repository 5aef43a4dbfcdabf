#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  import CoreGraphics
  import Foundation
  import PureWebP
  import QuartzCore
  import WebPLoading

  /// An image view that a driver controls.
  @MainActor
  protocol DrivenImageView: AnyObject {
    associatedtype ShownImage: AnyObject
    /// A view in the image view that draws nothing, and reports layout passes.
    associatedtype Reporter: AnyObject

    var image: ShownImage? { get set }
    var bounds: CGRect { get }
    /// The number of pixels per point. Nil until it is known.
    var pixelsPerPoint: CGFloat? { get }
    /// The relation of the shown image to the bounds. Nil if the image is not scaled.
    var scaling: ImageScaling? { get }
    /// The layer that a new image fades in.
    var fadingLayer: CALayer? { get }

    func makeClock() -> any FrameClock
    /// Adds a reporter that is as large as the view.
    func makeReporter(_ report: @escaping @MainActor () -> Void) -> Reporter
    /// Adds the reporter again if the app has removed it, and requests a layout pass.
    func requestLayout(_ reporter: Reporter)
    /// Creates an image with the given number of pixels per point.
    func makeImage(_ image: CGImage, pixelsPerPoint: CGFloat) -> ShownImage
    /// Creates a transparent image with a size in points.
    func makeEmptyImage(_ size: CGSize) -> ShownImage?
  }

  enum ImageScaling { case fits, covers }

  /// Loads and shows the images of one image view.
  ///
  /// A view is often given its image before it is laid out. Therefore, an image is decoded after the next layout pass,
  /// for the bounds of the view and the scale of its screen, and again if both require more pixels later. A view that
  /// is sized by its image has no bounds yet: it then receives an empty image of the final size, and the image is
  /// decoded for the bounds that result from it.
  @MainActor
  final class ImageViewDriver<View: DrivenImageView> {
    private weak var view: View?
    private var reporter: View.Reporter?
    private var presenter: ImagePresenter<CGImage>?
    /// The last animation, and its shown frame. If the view shows it again, it continues.
    private var last: (url: URL, schedule: FrameSchedule, frame: View.ShownImage?)?
    private var url: URL?
    /// The shown image, and the number of its pixels for each pixel of an image that is not decoded for the view.
    private var shown: (image: CGImage, density: Double)?
    /// The size of the image without scaling, in pixels.
    private var size: WebP.ImageLoader.Loaded.Size?
    /// Indicates whether the view has no bounds after a layout pass.
    private var isEmptyAfterLayout = false
    private var shownImage: View.ShownImage?
    /// The scale of the screen for which `shownImage` was made.
    private var shownScale: CGFloat?

    init(_ view: View) { self.view = view }

    /// The request of a view.
    struct Request {
      let url: URL?
      let loader: WebP.ImageLoader
      let placeholder: View.ShownImage?
      let options: WebP.ImageLoader.Options
      let viewOptions: WebPViewOptions
      let completion: @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void
    }

    func load(_ request: Request) {
      cancel()
      guard let view else { return }
      (shown, size, isEmptyAfterLayout, shownImage) = (nil, nil, false, nil)
      let continued = request.url == last?.url ? last : nil
      (url, last) = (request.url, nil)
      guard let url else {
        view.image = request.placeholder
        return
      }
      let presenter = ImagePresenter(request.loader, view.makeClock(), .drawable, continuing: continued?.schedule) {
        [weak self] change in self?.receive(change, request)
      }
      self.presenter = presenter
      presenter.mayPlay = true  // as far as the clock permits
      presenter.load(
        .init(
          url, request.options, scalesToView: request.viewOptions.scalesToView && view.scaling != nil,
          showsImage: request.viewOptions.showsImage))
      guard self.presenter === presenter else { return }  // the closure has set another image
      if shown == nil {
        view.image = continued?.frame ?? (request.viewOptions.delaysPlaceholder ? nil : request.placeholder)
      }
      let reporter = reporter ?? view.makeReporter { [weak self] in self?.viewWasLaidOut() }
      self.reporter = reporter
      view.requestLayout(reporter)
    }

    func cancel() {
      presenter?.cancel()
      if let url, let schedule = presenter?.schedule { last = (url, schedule, shownImage) }
      presenter = nil
    }

    private func receive(_ change: ImagePresenter<CGImage>.Change, _ request: Request) {
      switch change {
      case .size(let size):
        self.size = size
        reserveSpace()
      case .image(let image, let density, let fadesIn):
        shown = (image, density)
        show(fade: fadesIn ? request.viewOptions.fade : nil)
      case .loaded(let loaded): request.completion(.success(loaded))
      case .progress: break  // `options.onProgress` receives it
      case .failure(let error):
        if request.viewOptions.delaysPlaceholder, shown == nil { view?.image = request.placeholder }
        request.completion(.failure(error))
      }
    }

    private func viewWasLaidOut() {
      guard let view, let presenter, let scale = view.pixelsPerPoint else { return }
      // The app has set another image.
      if let shownImage, view.image !== shownImage { return cancel() }
      let (width, height) = (Double(view.bounds.width * scale), Double(view.bounds.height * scale))
      isEmptyAfterLayout = width < 1 || height < 1
      if isEmptyAfterLayout {
        reserveSpace()
      } else {
        presenter.setDisplayed(DecodedBox(width: width, height: height, isCovered: view.scaling == .covers))
      }
      if shownScale != scale { show(fade: nil) }
    }

    /// Gives a view without bounds the size that its image will have.
    private func reserveSpace() {
      guard isEmptyAfterLayout, shown == nil, let size, let view, let scale = view.pixelsPerPoint else { return }
      view.image = view.makeEmptyImage(CGSize(width: CGFloat(size.width) / scale, height: CGFloat(size.height) / scale))
    }

    /// Shows the image. Its size in points does not depend on the size that it was decoded for.
    private func show(fade: WebPViewOptions.Fade?) {
      guard let shown, let view else { return }
      if let fade, fade.seconds > 0 {
        let transition = CATransition()
        transition.type = .fade
        transition.duration = fade.seconds
        transition.timingFunction = CAMediaTimingFunction(name: fade.curve.name)
        view.fadingLayer?.add(transition, forKey: "WebP fade")
      }
      let scale = view.pixelsPerPoint
      shownScale = scale
      shownImage = view.makeImage(shown.image, pixelsPerPoint: (scale ?? 1) * CGFloat(shown.density))
      view.image = shownImage
    }
  }

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

  extension DrivenImageView {
    /// The driver of the view. Nil until the first load.
    var existingDriver: ImageViewDriver<Self>? {
      unsafe objc_getAssociatedObject(self, driverKey) as? ImageViewDriver<Self>
    }

    var driver: ImageViewDriver<Self> {
      if let existingDriver { return existingDriver }
      let driver = ImageViewDriver(self)
      unsafe objc_setAssociatedObject(self, driverKey, driver, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
      return driver
    }
  }
#endif
