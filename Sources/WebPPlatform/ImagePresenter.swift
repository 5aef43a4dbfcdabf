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

  /// The extent of the shown image. A preview is complete, but may have too few pixels or be outdated.
  private enum Extent { case nothing, partial, preview, still, animation }

  /// Converts an image to the type that the view shows.
  struct Conversion {
    /// Called on other threads than the main thread.
    let image: @Sendable (WebP.Image, _ profile: [UInt8]?) -> Frame?
    /// Called on the main thread, if the image is in memory.
    let loaded: @Sendable (WebP.ImageLoader.Loaded) -> Frame?
  }

  private let loader: WebP.ImageLoader
  private let clock: any FrameClock
  private let convert: Conversion
  private let onChange: (Change) -> Void
  private var load: Load?
  private var task: Task<Void, Never>?
  private var playback: AnimationPlayback<Frame>?
  /// The schedule of the animation that was shown last. If the same animation is shown again, it continues.
  private(set) var schedule: FrameSchedule?
  private var extent = Extent.nothing
  /// The size of the image without scaling. Nil until it is known.
  private var size: WebP.ImageLoader.Loaded.Size?
  private var display = Display.unknown
  /// The box of the current load. Nil if the image is decoded in its own size.
  private var decodedBox: DecodedBox?
  /// The factor by which the complete image is scaled. Nil until it is shown.
  private var shownDensity: Double?
  /// Indicates whether a load has begun, and has neither failed nor been canceled.
  private var isActive = false
  /// Indicates whether the current load waits for the size of the view.
  private var isWaitingForSize = false
  /// The file, if it is complete before the size of the view is known.
  private var file: WebP.ImageLoader.File?
  /// Indicates whether the complete image has been reported.
  private var isReported = false
  /// The number of loads that have begun or were canceled.
  private var generation = 0

  private enum Display {
    case unknown, ownSize
    case box(DecodedBox)
  }

  /// - Parameters:
  ///   - schedule: The schedule of an animation at the same URL that the view has shown before.
  ///   - onChange: Receives the events.
  init(
    _ loader: WebP.ImageLoader, _ clock: any FrameClock, _ convert: Conversion,
    continuing schedule: FrameSchedule? = nil,
    onChange: @escaping (Change) -> Void
  ) {
    self.schedule = schedule?.next == nil ? nil : schedule  // an animation that has ended begins again
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
    (extent, isReported, size, file, shownDensity) = (.nothing, false, nil, nil, nil)
    start()
  }

  /// Continues a load that was canceled. Has no effect if a load is running, or a still image is complete.
  func resume() {
    if !isActive, extent != .still { start() }
  }

  /// Cancels the load, and ends the playback. The image stays.
  func cancel() {
    task?.cancel()
    task = nil
    (isActive, isWaitingForSize) = (false, false)
    generation += 1
    playback?.isPlaying = false
    playback = nil
    clock.stop()
  }

  private func decodeAgainIfNeeded() {
    guard isActive, !isWaitingForSize, let decodedBox, case .box(let box) = display else { return }
    let isTooSmall =
      if let size {
        box.density(size) > max(shownDensity ?? 0, decodedBox.density(size)) + 0.5
          / Double(max(size.width, size.height))
      } else {
        decodedBox.mayBeTooSmall(for: box)
      }
    if isTooSmall { start() }
  }

  private func start() {
    guard let load else { return }
    var options = load.options
    (decodedBox, isWaitingForSize, isActive) = (nil, false, true)
    if load.scalesToView {
      switch display {
      case .unknown: isWaitingForSize = true
      case .ownSize: break
      case .box(let box): decodedBox = box
      }
    }
    if let decodedBox { options.decoding.size = decodedBox.outputSize }
    if useMemory(load, options) { return }
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
    (isActive, isWaitingForSize) = (false, false)
    onChange(.failure(error))
  }

  /// Shows an image from the memory of the loader.
  ///
  /// - Returns: whether nothing needs to be loaded, at least until the size of the view is known.
  private func useMemory(_ load: Load, _ options: WebP.ImageLoader.Options) -> Bool {
    guard let (loaded, isLargeEnough) = loader.imageInMemory(for: load.url, options: options) else { return false }
    let isShown = loaded.density == shownDensity
    if isLargeEnough, !options.refreshesCached, !isWaitingForSize {
      task?.cancel()
      finish(loaded, load, isShown: isShown)
      return true
    }
    if load.showsImage, !isShown { show(loaded, load, isPreview: true) }
    return isWaitingForSize
  }

  private func receive(_ event: WebP.ImageLoader.Event, _ load: Load) async {
    switch event {
    case .file(let file):
      self.file = file
      let limits = load.options.decoding.limits
      let (info, orientation) = await Task.detached {
        (try? WebP.info(file.bytes), WebP.metadata(file.bytes, limits: limits).orientation ?? .up)
      }.value
      if Task.isCancelled { return }
      learn(info, orientation, load)
      // The size of images of other formats is known only after decoding.
      if size == nil, isWaitingForSize { setDisplayed(nil) }
    case .update(.placeholder(let info, let width, let height), _):
      guard decodedBox != nil else { return setSize(.init(width: width, height: height)) }
      // The placeholder of a complete file is upright, but scaled for the view.
      let isRotated = (width < height) != (info.width < info.height) && (width > height) != (info.width > info.height)
      learn(info, isRotated ? .right : .up, load)
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
      // Rows do not replace a complete image.
      guard extent == .nothing || extent == .partial else { return }
      let convert = convert
      let frame = await Task.detached { convert.image(image, nil) }.value
      guard !Task.isCancelled, let frame else { return }
      let longerSide = size.map { max($0.width, $0.height) } ?? max(image.width, image.height)
      let density = Double(max(image.width, image.height)) / Double(longerSide)
      onChange(.image(frame, density: density, fadesIn: extent == .nothing))
      extent = .partial
    case .cached(let loaded): if load.showsImage { show(loaded, load, isPreview: true) }
    case .finished(let loaded): finish(loaded, load)
    }
  }

  /// - Parameter isShown: whether the image is shown already, as a preview.
  private func finish(_ loaded: WebP.ImageLoader.Loaded, _ load: Load, isShown: Bool = false) {
    let current = generation
    if !isReported { onChange(.loaded(loaded)) }
    guard generation == current else { return }  // the view has another image now
    isReported = true
    guard load.showsImage else {
      extent = .still  // nothing to show, and nothing to load again
      return
    }
    if !isShown { show(loaded, load, isPreview: false) } else if extent == .preview { extent = .still }
    // Only now, the orientation is known.
    decodeAgainIfNeeded()
  }

  /// Shows a complete image. Only the first image of a load fades in, and only if it is from the network.
  private func show(_ loaded: WebP.ImageLoader.Loaded, _ load: Load, isPreview: Bool) {
    // The factor that the options require. The view scales further.
    let reference = load.options.decoding.size.map { $0.density(loaded.fullSize) ?? loaded.density } ?? 1
    setSize(loaded.fullSize.scaled(by: reference))
    let density = loaded.density / reference
    let isContinued = loaded.animation.map { playback?.schedule.fits($0.source) ?? schedule?.fits($0.source) } == true
    if !isContinued, let frame = convert.loaded(loaded) {
      onChange(.image(frame, density: density, fadesIn: loaded.fadesIn && extent == .nothing))
    }
    shownDensity = loaded.density
    extent = loaded.animation != nil ? .animation : isPreview ? .preview : .still
    play(loaded, density, isContinued: isContinued)
  }

  /// Begins to play an animation, or continues it in another size.
  private func play(_ loaded: WebP.ImageLoader.Loaded, _ density: Double, isContinued: Bool) {
    if !isContinued { (playback, schedule) = (nil, nil) }
    guard let animation = loaded.animation else { return }
    let (profile, convert) = (loaded.metadata.icc, convert)
    let player = WebPFramePlayer(animation.source, transform: animation.transformed) { convert.image($0, profile) }
    let show = { [weak self] (frame: Frame) in
      if let self { self.onChange(.image(frame, density: density, fadesIn: false)) }
    }
    if let playback {
      playback.replace(player, show: show)
    } else {
      let playback = AnimationPlayback(player, clock, schedule, show: show)
      if isContinued { playback.showCurrentFrame() }
      (self.playback, schedule) = (playback, playback.schedule)
      playback.isPlaying = mayPlay
    }
  }
}

extension WebP.ImageLoader.Loaded.Size {
  fileprivate func scaled(by factor: Double) -> Self {
    if factor == 1 { return self }
    return Self(
      width: max(1, Int((Double(width) * factor).rounded())), height: max(1, Int((Double(height) * factor).rounded())))
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
