import Foundation
import PureWebP
import WebPLoading

/// The image of one view: its load, its size, its playback, and the rule by which it fades in. It knows nothing of the
/// view's class.
///
///     view ── load, size, conditions, cancel ──▶ ImagePresenter ── changes ──▶ view
///                                                    │
///                                                    ├─ load: a task that receives the events of the loader
///                                                    └─ playback: paused unless the conditions permit it
///
/// As long as the size of the view is not known, the file is loaded, and only its headers are decoded.
@MainActor
final class ImagePresenter<Frame: Sendable> {
  /// An event for the view.
  enum Change {
    /// The size of the image if it were not decoded for the view, in pixels. While the file is not complete, it is the
    /// size of the stored image, which may be rotated.
    case size(WebP.ImageLoader.Loaded.Size)
    /// An image to show. If it is complete, it is oriented.
    case image(Frame, density: Double, fadesIn: Bool)
    case progress(WebP.ImageLoader.ByteProgress)
    /// The complete image, before it is shown for the first time.
    case loaded(WebP.ImageLoader.Loaded)
    case failure(any Error)
  }

  private enum Extent { case nothing, partial, still, animation }

  private let loader: WebP.ImageLoader
  private let clock: any FrameClock
  private let convert: @Sendable (WebP.Image, _ profile: [UInt8]?) -> Frame?
  private let onChange: (Change) -> Void
  private var load: Load?
  private var task: Task<Void, Never>?
  private var playback: AnimationPlayback<Frame>?
  private var extent = Extent.nothing
  /// The size of the image without scaling. Nil until it is known.
  private var size: WebP.ImageLoader.Loaded.Size?
  private var display = Display.unknown
  /// The box of the current load. Nil if the image is decoded in its own size.
  private var decodedBox: DecodedBox?
  /// Indicates whether the current load waits for the size of the view.
  private var isWaitingForSize = false
  /// The file, if it is complete before the size of the view is known.
  private var file: WebP.ImageLoader.File?
  /// Indicates whether the complete image has been reported.
  private var isReported = false
  /// The number of loads that have begun.
  private var generation = 0

  private enum Display {
    case unknown, ownSize
    case box(DecodedBox)
  }

  /// - Parameters:
  ///   - convert: Converts an image to the type that the view shows. Called on other threads than the main thread.
  ///   - onChange: Receives the events.
  init(
    _ loader: WebP.ImageLoader, _ clock: any FrameClock,
    _ convert: @escaping @Sendable (WebP.Image, _ profile: [UInt8]?) -> Frame?, onChange: @escaping (Change) -> Void
  ) {
    self.loader = loader
    self.clock = clock
    self.convert = convert
    self.onChange = onChange
  }

  deinit { task?.cancel() }

  /// Indicates whether an animation plays. Set by the view when it appears on the screen or leaves it.
  var mayPlay = false {
    didSet { playback?.isPlaying = mayPlay }
  }

  /// Sets the box in which the view shows the image. If a larger image is needed, it is loaded again. Without a box,
  /// the image is decoded in its own size.
  func setDisplayed(_ box: DecodedBox?) {
    if let box { display = .box(box) } else if case .unknown = display { display = .ownSize }
    if isWaitingForSize { start() } else { decodeAgainIfNeeded() }
  }

  /// Loads an image, and forgets the previous one.
  func load(_ load: Load) {
    cancel()
    self.load = load
    (extent, isReported, size, file) = (.nothing, false, nil, nil)
    start()
  }

  /// Continues a load that was canceled. Has no effect if a load is running, or a still image is complete.
  func resume() {
    if task == nil, extent != .still { start() }
  }

  /// Cancels the load, and ends the playback. The image stays.
  func cancel() {
    task?.cancel()
    task = nil
    isWaitingForSize = false
    playback = nil
    clock.stop()
  }

  private func decodeAgainIfNeeded() {
    guard task != nil, !isWaitingForSize, let decodedBox, case .box(let box) = display else { return }
    if decodedBox.isTooSmall(for: box, size) { start() }
  }

  private func start() {
    guard let load else { return }
    var options = load.options
    decodedBox = nil
    isWaitingForSize = false
    if load.scalesToView {
      switch display {
      case .unknown: isWaitingForSize = true
      case .ownSize: break
      case .box(let box): decodedBox = box
      }
    }
    if let decodedBox { options.decoding.size = decodedBox.outputSize }
    generation += 1
    options.onProgress = { [weak self, generation, onProgress = options.onProgress] progress in
      onProgress?(progress)
      Task { @MainActor in
        if self?.generation == generation { self?.onChange(.progress(progress)) }
      }
    }
    let events = loader.events(for: load.url, options: options, decodes: !isWaitingForSize, file: file)
    if !isWaitingForSize { file = nil }
    task?.cancel()  // only now, so that the new load shares the download of the previous one
    // The task does not retain the presenter while it waits. If the view is released, the presenter is released too,
    // and cancels the task.
    task = Task { [weak self] in
      do {
        for try await event in events {
          // An event may be delivered after the load was cancelled.
          if Task.isCancelled { return }
          await self?.receive(event, load)
        }
      } catch is CancellationError {
        // The view has another image, or has disappeared.
      } catch {
        if !Task.isCancelled { self?.fail(error) }
      }
    }
  }

  private func fail(_ error: any Error) {
    task = nil
    isWaitingForSize = false
    onChange(.failure(error))
  }

  private func receive(_ event: WebP.ImageLoader.Event, _ load: Load) async {
    switch event {
    case .file(let file):
      self.file = file
      let orientation = WebP.metadata(file.bytes, limits: load.options.decoding.limits).orientation ?? .up
      learn(try? WebP.info(file.bytes), orientation, load)
      // The size of images of other formats is known only after decoding.
      if size == nil, isWaitingForSize { setDisplayed(nil) }
    case .update(.placeholder(_, let width, let height), _) where isWaitingForSize:
      setSize(.init(width: width, height: height))
    case .update(let update, let info):
      learn(info, .up, load)
      await receive(update, load)
    }
  }

  /// Determines the size of the image from its headers.
  private func learn(_ info: WebP.ImageInfo?, _ orientation: WebP.Orientation, _ load: Load) {
    guard size == nil, let info, let stored = try? load.options.decoding.outputSize(for: info) else { return }
    let (width, height) = orientation.orientedSize(width: stored.width, height: stored.height)
    setSize(.init(width: width, height: height))
  }

  private func setSize(_ size: WebP.ImageLoader.Loaded.Size) {
    guard size != self.size else { return }
    self.size = size
    onChange(.size(size))
  }

  private func receive(_ update: WebP.ImageLoader.Update, _ load: Load) async {
    switch update {
    case .placeholder: break
    case .rows(let image, _):
      // If an image is loaded again, a complete one is shown, which rows must not replace.
      guard extent == .nothing || extent == .partial else { return }
      let longerSide = size.map { max($0.width, $0.height) }
      let density = decodedBox == nil ? 1 : longerSide.map { Double(max(image.width, image.height)) / Double($0) } ?? 1
      await show(image, nil, density, as: .partial, fadesIn: true)
    case .cached(let loaded):
      guard load.showsImage else { return }
      setSize(of: loaded)
      await show(loaded.image, loaded.metadata.icc, density(loaded), as: .partial, fadesIn: loaded.fadesIn)
    case .finished(let loaded):
      await finish(loaded, load)
    }
  }

  private func finish(_ loaded: WebP.ImageLoader.Loaded, _ load: Load) async {
    // A view that is busy receives only the last update, and an image from the memory has no placeholder.
    setSize(of: loaded)
    if !isReported { onChange(.loaded(loaded)) }
    isReported = true
    guard load.showsImage else {
      extent = .still  // nothing to show, and nothing to load again
      return
    }
    if let animation = loaded.animation {
      await play(animation, loaded)
    } else {
      await show(loaded.image, loaded.metadata.icc, density(loaded), as: .still, fadesIn: loaded.fadesIn)
    }
    // Only now, the orientation is known.
    if !Task.isCancelled { decodeAgainIfNeeded() }
  }

  private func setSize(of loaded: WebP.ImageLoader.Loaded) {
    let image = loaded.image
    setSize(decodedBox == nil ? .init(width: image.width, height: image.height) : loaded.fullSize)
  }

  /// The number of pixels per pixel of an image that is not decoded for the view.
  private func density(_ loaded: WebP.ImageLoader.Loaded) -> Double { decodedBox == nil ? 1 : loaded.density }

  /// Shows an animation. If it was shown before in another size, it continues.
  private func play(_ animation: WebP.ImageLoader.LoadedAnimation, _ loaded: WebP.ImageLoader.Loaded) async {
    let (profile, convert, density) = (loaded.metadata.icc, convert, density(loaded))
    let player = WebPFramePlayer(animation.source, transform: animation.transformed) { convert($0, profile) }
    let show = { [weak self] frame in
      if let self { self.onChange(.image(frame, density: density, fadesIn: false)) }
    }
    if let playback {
      let index = playback.shownIndex
      let frame = await Task.detached { player.image(at: index) }.value
      guard !Task.isCancelled else { return }
      if let frame, playback.shownIndex == index { show(frame) }
      playback.replace(player, show: show)
    } else {
      await self.show(loaded.image, profile, density, as: .animation, fadesIn: loaded.fadesIn)
      guard !Task.isCancelled else { return }
      playback = AnimationPlayback(player, clock, show: show)
      playback?.isPlaying = mayPlay
    }
  }

  /// Converts and shows an image. Only the first image of a load fades in, and only if it is from the network.
  private func show(
    _ image: WebP.Image, _ profile: [UInt8]?, _ density: Double, as extent: Extent, fadesIn: Bool
  ) async {
    let convert = convert
    let frame = await Task.detached { convert(image, profile) }.value
    guard !Task.isCancelled, let frame else { return }
    onChange(.image(frame, density: density, fadesIn: fadesIn && self.extent == .nothing))
    self.extent = extent
  }
}

extension ImagePresenter {
  /// The request of a view.
  struct Load {
    let url: URL
    let options: WebP.ImageLoader.Options
    /// Indicates whether the image is decoded for the size in which it is shown. Options with a size of their own are
    /// not changed.
    let scalesToView: Bool
    /// Indicates whether the image is shown. Otherwise, it is only reported.
    let showsImage: Bool

    init(_ url: URL, _ options: WebP.ImageLoader.Options, scalesToView: Bool = true, showsImage: Bool = true) {
      var options = options
      options.isUpright = true
      if showsImage { options.decoding.format = .bgraPremultiplied } else { options.isProgressive = false }
      self.url = url
      self.options = options
      self.scalesToView = scalesToView && showsImage && options.decoding.size == nil
      self.showsImage = showsImage
    }
  }
}
