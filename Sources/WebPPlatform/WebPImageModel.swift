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

    /// Indicates whether the image is an animation. It is published apart from the frames.
    @MainActor
    final class Kind: ObservableObject {
      @Published fileprivate(set) var isAnimated = false
    }

    let kind = Kind()
    private let load: ImageLoad
    private let scaling: ImageScaling
    private let onLoad: @MainActor (WebP.ImageLoader.Loaded) -> Void
    /// Nil until the size of the view is known: SwiftUI creates many models that it does not use.
    private var presenter: ImagePresenter<CGImage>?
    private var rule = PlaybackRule()
    private var conditions = ViewConditions()
    private var playback: WebPViewOptions.Playback

    /// - Parameter fits: whether the view shows the complete image within its size. Otherwise, it may crop it.
    init(
      _ source: WebPSource, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options,
      _ viewOptions: WebPViewOptions, fits: Bool = true,
      _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void
    ) {
      load = ImageLoad(source, loader, options, viewOptions)
      scaling = fits ? .fits : .coversUpToTwice
      playback = viewOptions.playback
      self.onLoad = onLoad
    }

    /// An image from the memory of the loader. The first update of the view shows it, when the size is not known.
    private(set) lazy var preview: Shown? = {
      guard load.viewOptions.showsImage, load.scalesToView,
        let found = load.loader.imageInMemory(for: load.source.request, options: load.options)?.image,
        let image = ImagePresenter<CGImage>.Conversion.drawable.loaded(found)
      else { return nil }
      return Shown(image: image, density: found.density)
    }()

    /// Indicates whether the placeholder is shown while there is no image.
    var showsPlaceholder: Bool {
      if case .failure = phase { return true }
      return !load.viewOptions.delaysPlaceholder
    }

    /// The number of pixels per point of an image. It does not depend on the size that the image was decoded for.
    func pixelsPerPoint(_ shown: Shown, displayScale: CGFloat) -> CGFloat {
      let scale = load.viewOptions.scale.pixelsPerPoint(load.source.url).map { CGFloat($0) } ?? displayScale
      return scale * CGFloat(shown.density)
    }

    /// Starts the load when the size of the view is known for the first time, and follows later changes.
    func update(_ conditions: ViewConditions, _ playback: WebPViewOptions.Playback = .init()) {
      let isFirst = presenter == nil
      let presenter = presenter ?? makePresenter()
      let plays = self.playback.control != .play && playback.control == .play
      (self.presenter, self.conditions, self.playback) = (presenter, conditions, playback)
      presenter.setDisplayed(DecodedBox(width: conditions.width, height: conditions.height, scaling))
      updatePlayback()
      if plays { presenter.restartIfEnded() }
      if isFirst { start() }
    }

    private func start() {
      presenter?.load(load) { [onLoad] in
        if case .success(let loaded) = $0 { onLoad(loaded) }
      }
    }

    private func makePresenter() -> ImagePresenter<CGImage> {
      AnimationSettings.shared.observe { [weak self] in
        self?.updatePlayback()
        return self != nil
      }
      return ImagePresenter(SleepingClock(), .drawable, reportsProgress: true) { [weak self] in self?.receive($0) }
    }

    private func updatePlayback() {
      presenter?.mayPlay = rule.mayPlay(conditions, playback, savesPower: AnimationSettings.shared.savesPower)
    }

    /// Continues after `stop`.
    func resume() {
      guard case .failure = phase else { return presenter?.resume() ?? () }
      phase = .loading(nil)
      start()
    }

    func stop() { presenter?.suspend() }

    private func receive(_ change: ImagePresenter<CGImage>.Change) {
      switch change {
      case .size(let size): self.size = CGSize(width: size.width, height: size.height)
      case .image(let image, let density, let fadesIn):
        // An animated change of `shown` fades the new image in and the placeholder out.
        withAnimation(fadesIn ? load.viewOptions.fade.animation : nil) {
          shown = Shown(image: image, density: density)
        }
      case .progress(let progress): advance(to: progress)
      case .loaded: kind.isAnimated = presenter?.showsAnimation ?? false
      case .needsSize: break  // the size is known
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
