#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// The state of a ``WebPImage``.
  @MainActor
  final class WebPImageModel: ObservableObject {
    /// An image, and the number of its pixels for each pixel of an image that is not decoded for the view.
    struct Shown {
      let image: CGImage
      let density: Double
    }

    /// The image to show. A complete image is oriented.
    @Published private(set) var shown: Shown?
    /// The size of the image, in pixels. It does not depend on the size of the view.
    @Published private(set) var size: CGSize?
    /// The state of the load. After a failure, an earlier image is still shown.
    @Published private(set) var phase = WebPImagePhase.loading(nil)

    private let load: ImagePresenter<CGImage>.Load
    private let loader: WebP.ImageLoader
    private let options: WebPViewOptions
    private let onLoad: @MainActor (WebP.ImageLoader.Loaded) -> Void
    /// Nil until the size of the view is known: SwiftUI creates many models that it does not use.
    private var presenter: ImagePresenter<CGImage>?
    private var rule = PlaybackRule()

    init(
      _ url: URL, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options, _ viewOptions: WebPViewOptions,
      _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void
    ) {
      load = .init(url, options, scalesToView: viewOptions.scalesToView, showsImage: viewOptions.showsImage)
      self.loader = loader
      self.options = viewOptions
      self.onLoad = onLoad
    }

    /// An image from the memory of the loader. The first update of the view shows it, when the size is not known.
    private(set) lazy var preview: Shown? = {
      guard load.showsImage, load.scalesToView,
        let found = loader.imageInMemory(for: load.url, options: load.options)?.image,
        let image = ImagePresenter<CGImage>.Conversion.drawable.loaded(found)
      else { return nil }
      return Shown(image: image, density: found.density)
    }()

    /// Indicates whether the placeholder is shown while there is no image.
    var showsPlaceholder: Bool {
      if case .failure = phase { return true }
      return !options.delaysPlaceholder
    }

    /// Starts the load when the size of the view is known for the first time, and follows later changes.
    func update(_ conditions: ViewConditions) {
      let isFirst = presenter == nil
      let presenter =
        presenter
        ?? ImagePresenter(loader, SleepingClock(), .drawable, onChange: { [weak self] in self?.receive($0) })
      self.presenter = presenter
      // An image that fills the view makes the view larger.
      presenter.setDisplayed(DecodedBox(width: conditions.width, height: conditions.height, isCovered: false))
      presenter.mayPlay = rule.mayPlay(conditions)
      if isFirst { presenter.load(load) }
    }

    /// Continues after `stop`.
    func resume() {
      if case .failure = phase { phase = .loading(nil) }
      presenter?.resume()
    }

    func stop() { presenter?.cancel() }

    private func receive(_ change: ImagePresenter<CGImage>.Change) {
      switch change {
      case .size(let size): self.size = CGSize(width: size.width, height: size.height)
      case .image(let image, let density, let fadesIn):
        // An animated change of `shown` fades the new image in and the placeholder out.
        withAnimation(fadesIn ? options.fade.animation : nil) {
          shown = Shown(image: image, density: density)
        }
      case .progress(let progress): advance(to: progress)
      case .loaded(let loaded): onLoad(loaded)
      case .failure(let error): phase = .failure(error)
      }
    }

    /// Publishes the progress while the placeholder is shown. Progress that arrives out of order is ignored.
    private func advance(to progress: WebP.ImageLoader.ByteProgress) {
      guard shown == nil, case .loading(let before) = phase else { return }
      if progress.receivedBytes > before?.receivedBytes ?? 0 { phase = .loading(progress) }
    }
  }

  extension WebPViewOptions.Fade {
    fileprivate var animation: SwiftUI.Animation {
      switch curve {
      case .linear: .linear(duration: seconds)
      case .easeIn: .easeIn(duration: seconds)
      case .easeOut: .easeOut(duration: seconds)
      case .easeInOut: .easeInOut(duration: seconds)
      }
    }
  }
#endif
