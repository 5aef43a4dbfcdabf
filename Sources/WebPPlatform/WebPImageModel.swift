#if canImport(SwiftUI)
  import CoreGraphics
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// The state of a ``WebPImage``.
  @MainActor
  final class WebPImageModel: ObservableObject {
    /// The image to show. A complete image is oriented.
    @Published private(set) var shown: CGImage?
    /// The size of the stored image, in pixels.
    @Published private(set) var size: CGSize?
    /// The state of the load. After a failure, an earlier image is still shown.
    @Published private(set) var phase = WebPImagePhase.loading(nil)

    private let load: ImagePresenter<CGImage>.Load
    private let loader: WebP.ImageLoader
    private let fadeSeconds: Double
    private let onLoad: @MainActor (WebP.ImageLoader.Loaded) -> Void
    /// Nil until the size of the view is known: SwiftUI creates many models that it does not use.
    private var presenter: ImagePresenter<CGImage>?
    private var rule = PlaybackRule()

    init(
      _ load: ImagePresenter<CGImage>.Load, _ loader: WebP.ImageLoader, fadeSeconds: Double,
      _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void
    ) {
      self.load = load
      self.loader = loader
      self.fadeSeconds = fadeSeconds
      self.onLoad = onLoad
    }

    /// Indicates whether the placeholder is shown while there is no image.
    var showsPlaceholder: Bool {
      if case .failure = phase { return true }
      return !load.options.delaysPlaceholder
    }

    /// Starts the load when the size of the view is known for the first time, and follows later changes.
    func update(_ conditions: ViewConditions) {
      let isFirst = presenter == nil
      let presenter =
        presenter
        ?? ImagePresenter(loader, SleepingClock(), drawable, onChange: { [weak self] in self?.receive($0) })
      self.presenter = presenter
      presenter.setDisplayedSize(width: conditions.width, height: conditions.height)
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
      case .size(let width, let height): size = CGSize(width: width, height: height)
      case .image(let image, let fadesIn):
        // An animated change of `shown` fades the new image in and the placeholder out.
        withAnimation(fadesIn ? .easeIn(duration: fadeSeconds) : nil) { shown = image }
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
#endif
