import Foundation
import PureWebP
import WebPExport
import WebPLoading

/// The image of one view: its loads, its size, its playback, and the rule by which it fades in. It knows nothing of the
/// view's class.
///
///     view ── load, size, conditions, cancel ──▶ ImagePresenter ── changes ──▶ view
///                                                    │
///                                                    ├─ load: a task that receives the events of the loader
///                                                    └─ playback: paused unless the conditions permit it
///
/// As long as the size of the view is not known, the file is loaded, and only its headers are decoded. Because some
/// views never get a size, the presenter requests one when the headers are known and the main queue has had three
/// turns, which is enough for a layout pass. Each load is completed once: with the image, an error, or a cancellation.
@MainActor
final class ImagePresenter<Frame: Sendable> {
  typealias Loaded = WebP.ImageLoader.Loaded

  /// An event for the view.
  enum Change {
    /// The size of the image if it were not decoded for the view, in pixels. While the file is not complete, it is the
    /// size of the stored image, which may be rotated.
    case size(WebP.Size)
    /// The view has to call `setDisplayed`, although there was no layout pass.
    case needsSize
    /// An image to show. If it is complete, it is oriented.
    case image(Frame, density: Double, fadesIn: Bool)
    case progress(WebP.ImageLoader.ByteProgress)
    /// The complete image, after it was shown for the first time.
    case loaded
    case failure(any Error)
  }

  /// The extent of the shown image. A preview is complete, but may have too few pixels or be outdated.
  private enum Extent { case nothing, partial, preview, still, animation }

  private let clock: any FrameClock
  private let convert: Conversion
  private let reportsProgress: Bool
  private let onChange: (Change) -> Void
  private var load: ImageLoad?
  private var task: Task<Void, Never>?
  /// Waits for the layout of the view.
  private var layout: Task<Void, Never>?
  /// The completion of the current load. Nil after it was called.
  private var completion: Completion?
  private var playback: AnimationPlayback<Frame>?
  /// The position of the animation that was shown last. If the same animation is shown again, it continues.
  private var position: PlaybackPosition?
  private var extent = Extent.nothing
  /// The size of the image without scaling. Nil until it is known.
  private var size: WebP.Size?
  private var display = Display.unknown
  /// The output size of the current load. Nil if the image is decoded in its own size.
  private var decodedSize: WebP.OutputSize?
  /// The factor by which the complete image is scaled. Nil until it is shown.
  private var shownDensity: Double?
  /// Indicates whether a load has begun, and has neither failed nor been canceled.
  private var isActive = false
  /// Indicates whether the current load waits for the size of the view.
  private(set) var isWaitingForSize = false
  /// The number of the current load in the loader.
  private var reader: Int?
  /// The number of loads that have begun or were canceled.
  private var generation = 0

  private enum Display {
    case unknown, ownSize
    case box(DecodedBox)
  }

  /// - Parameter reportsProgress: whether the view receives the progress of the download.
  init(
    _ clock: any FrameClock, _ convert: Conversion, reportsProgress: Bool = false,
    onChange: @escaping (Change) -> Void
  ) {
    self.clock = clock
    self.reportsProgress = reportsProgress
    self.convert = convert
    self.onChange = onChange
  }

  deinit {
    task?.cancel()
    layout?.cancel()
    if let completion { Task { await completion(.failure(CancellationError())) } }
  }

  /// Indicates whether an animation plays. Set by the view when it appears on the screen or leaves it.
  var mayPlay = false {
    didSet { playback?.isPlaying = mayPlay }
  }

  /// Indicates whether the complete image was shown.
  var isComplete: Bool { completion == nil }
  /// Indicates whether the next load of the same URL continues its animation.
  func continues(_ load: ImageLoad) -> Bool { load.source == self.load?.source && position?.next != nil }
  /// Indicates whether a load only replaces the completion of the current one.
  func joins(_ load: ImageLoad) -> Bool { isActive && !isComplete && self.load?.hasSamePixels(as: load) == true }

  /// Sets the box in which the view shows the image. If a larger image is needed, it is loaded again. Without a box,
  /// the image is decoded in its own size.
  func setDisplayed(_ box: DecodedBox?) {
    if let box { display = .box(box) } else if case .unknown = display { display = .ownSize }
    if isWaitingForSize { start() } else { decodeAgainIfNeeded() }
  }

  /// Waits for the next call of `setDisplayed` before an image is decoded.
  func forgetDisplayed() { display = .unknown }

  /// Loads an image, and forgets the previous one. If the previous load has not ended, its completion receives a
  /// cancellation before anything else. A new load joins the download of the previous one before that one leaves.
  func load(_ load: ImageLoad, completion: @escaping Completion) {
    let (joins, replaced) = (joins(load), self.completion)
    if !joins {
      if !continues(load) { position = nil }
      isActive = false
      layout?.cancel()
      stopPlaying()
      (extent, size, reader, shownDensity, decodedSize) = (.nothing, nil, nil, nil, nil)
      generation += 1
    }
    self.load = load
    self.completion = completion
    let (current, leaving) = (generation, task)
    if !joins { task = nil }
    replaced?(.failure(CancellationError()))
    // The completion may have begun another load.
    if generation == current { start() }
    if !joins { leaving?.cancel() }
  }

  /// Indicates whether the shown image is a frame of an animation.
  var showsAnimation: Bool { extent == .animation }

  /// Plays an animation again whose loops are over.
  func restartIfEnded() { playback?.restartIfEnded() }

  /// Continues a load that was suspended. Has no effect if a load is running, or a still image is complete.
  func resume() {
    if !isActive, extent != .still { start() }
  }

  /// Cancels the load, and ends the playback. The image stays.
  func cancel() {
    suspend()
    complete(.failure(CancellationError()))
  }

  /// Cancels the load until `resume`, and ends the playback.
  func suspend() {
    task?.cancel()
    task = nil
    layout?.cancel()
    layout = nil
    (isActive, isWaitingForSize) = (false, false)
    generation += 1
    stopPlaying()
  }

  private func stopPlaying() {
    playback?.isPlaying = false
    playback = nil
    clock.stop()
  }

  private func complete(_ result: Result<Loaded, any Error>) {
    let completion = completion
    self.completion = nil
    completion?(result)
  }

  private func decodeAgainIfNeeded() {
    guard isActive, !isWaitingForSize, let decodedSize, case .box(let box) = display else { return }
    guard let size else { return decodedSize == box.outputSize(nil) ? () : start() }
    let expected = extent == .animation ? 0 : decodedSize.density(size) ?? 1
    let tolerance = 0.5 / Double(max(size.width, size.height))
    guard box.density(size) > max(shownDensity ?? 0, expected) + tolerance else { return }
    guard let playback, extent == .animation else { return start() }
    // Frames have the size of the canvas. Only the first image may be smaller.
    shownDensity = 1
    playback.showCurrentFrame()
  }

  private func start() {
    guard let load else { return }
    var options = load.options
    (decodedSize, isWaitingForSize, isActive) = (nil, false, true)
    if load.scalesToView {
      switch display {
      case .unknown: isWaitingForSize = true
      case .ownSize: break
      case .box(let box): decodedSize = box.outputSize(size)
      }
    }
    if let decodedSize { options.decoding.size = decodedSize }
    if useMemory(load, options) { return }
    generation += 1
    if reportsProgress {
      let (relay, report, onProgress) = (ProgressRelay(), reportProgress(generation), options.onProgress)
      options.onProgress = {
        onProgress?($0)
        relay.report($0, to: report)
      }
    }
    let (reader, events) = load.loader.events(
      for: load.source.request, options: options, decodes: !isWaitingForSize, file: load.source.file,
      replacing: reader)
    self.reader = reader
    task?.cancel()
    // The task does not retain the presenter while it waits. If the view is released, the presenter is released too,
    // and cancels the task.
    task = Task { [weak self] in
      do {
        for try await event in events {
          // An event may be delivered after the load was cancelled.
          if Task.isCancelled { return }
          self?.receive(event, load)
        }
      } catch {
        if !Task.isCancelled { self?.fail(error) }
      }
    }
  }

  private func reportProgress(_ generation: Int) -> @MainActor @Sendable (WebP.ImageLoader.ByteProgress) -> Void {
    { [weak self] progress in
      if let self, self.generation == generation { onChange(.progress(progress)) }
    }
  }

  private func fail(_ error: any Error) {
    (isActive, isWaitingForSize) = (false, false)
    let current = generation
    onChange(.failure(error))
    if generation == current { complete(.failure(error)) }
  }

  /// Shows an image from the memory of the loader.
  ///
  /// - Returns: whether nothing needs to be loaded, at least until the size of the view is known.
  private func useMemory(_ load: ImageLoad, _ options: WebP.ImageLoader.Options) -> Bool {
    guard let (loaded, isLargeEnough) = load.loader.imageInMemory(for: load.source.request, options: options)
    else { return false }
    let isShown = loaded.density == shownDensity && (loaded.animation == nil || playback != nil)
    // Frames of animations have the size of the canvas.
    if isLargeEnough || loaded.animation != nil, !options.refreshesCached, !isWaitingForSize {
      task?.cancel()
      finish(loaded, load, isShown: isShown)
      return true
    }
    let current = generation
    if load.viewOptions.showsImage, !isShown { show(loaded, load, isPreview: true) }
    if generation == current, isWaitingForSize { requestSize() }
    return isWaitingForSize || generation != current
  }

  /// Requests the size of the view, unless the next layout pass sets it.
  func requestSize() {
    guard isWaitingForSize else { return }
    layout?.cancel()
    layout = Task { [weak self] in
      // A run loop lays out at the latest after every second turn of the main queue.
      for _ in 0..<3 { await Task.yield() }
      if !Task.isCancelled, let self, isWaitingForSize { onChange(.needsSize) }
    }
  }

  private func receive(_ event: WebP.ImageLoader.Event, _ load: ImageLoad) {
    switch event {
    case .needsSize(let info):
      learn(info, load)
      requestSize()  // the size of images of other formats is known only after decoding
    case .update(.placeholder(let info, let size), _):
      if decodedSize != nil { learn(info, load) } else { setSize(size) }
    case .update(.cached(let loaded), _):
      if load.viewOptions.showsImage { show(loaded, load, isPreview: true) }
    case .update(.finished(let loaded), _): finish(loaded, load)
    case .rows(let pixels, let info):
      learn(info, load)
      showRows(pixels)
    case .update(.rows, _), .file: break  // not for views
    }
  }

  /// Determines the size of the image from its headers.
  private func learn(_ info: WebP.ImageInfo?, _ load: ImageLoad) {
    guard size == nil, let info, let size = try? load.options.decoding.outputSize(for: info) else { return }
    setSize(size)
    // A panorama need not cover its view.
    if let decodedSize, case .box(let box) = display, box.outputSize(size) != decodedSize { start() }
  }

  private func setSize(_ size: WebP.Size) {
    guard size != self.size else { return }
    let isFirst = self.size == nil
    self.size = size
    onChange(.size(size))
    if isFirst { requestSize() }
  }

  private func showRows(_ pixels: DrawablePixels) {
    // Rows do not replace a complete image.
    guard extent == .nothing || extent == .partial, let frame = convert.pixels(pixels, nil) else { return }
    let longerSide = max(pixels.width, pixels.height)
    let density = Double(longerSide) / Double(size.map { max($0.width, $0.height) } ?? longerSide)
    let fadesIn = extent == .nothing
    extent = .partial
    onChange(.image(frame, density: density, fadesIn: fadesIn))
  }

  /// - Parameter isShown: whether the image is shown already, as a preview.
  private func finish(_ loaded: Loaded, _ load: ImageLoad, isShown: Bool = false) {
    let current = generation
    if !load.viewOptions.showsImage {
      extent = .still  // nothing to show, and nothing to load again
    } else if !isShown {
      guard show(loaded, load, isPreview: false) else { return fail(WebP.ExportError.outOfMemory) }
    } else if extent == .preview {
      extent = .still
    }
    guard generation == current else { return }  // the view has another image now
    if !isComplete {
      onChange(.loaded)
      guard generation == current else { return }
      complete(.success(loaded))
      guard generation == current else { return }
    }
    // Only now, the orientation is known.
    if load.viewOptions.showsImage { decodeAgainIfNeeded() }
  }

  /// Shows a complete image. Only the first image of a load fades in, and only if it is from the network.
  ///
  /// - Returns: whether the system could create the image.
  @discardableResult
  private func show(_ loaded: Loaded, _ load: ImageLoad, isPreview: Bool) -> Bool {
    let isContinued = loaded.animation.map { position?.fits($0.source) == true } ?? false
    let frame = isContinued ? nil : convert.loaded(loaded)
    if frame == nil, !isContinued { return false }
    // The factor that the options require. The view scales further.
    let reference = load.options.decoding.size.map { $0.density(loaded.fullSize) ?? loaded.density } ?? 1
    setSize(loaded.fullSize.scaled(by: reference))
    let density = loaded.density / reference
    let fadesIn = loaded.fadesIn && extent == .nothing
    shownDensity = loaded.density
    extent = loaded.animation != nil ? .animation : isPreview ? .preview : .still
    let current = generation
    if let frame { onChange(.image(frame, density: density, fadesIn: fadesIn)) }
    if generation == current { play(loaded, load, density, isContinued: isContinued) }
    return true
  }

  /// Begins to play an animation, or continues it with other frames.
  private func play(_ loaded: Loaded, _ load: ImageLoad, _ density: Double, isContinued: Bool) {
    playback?.isPlaying = false
    playback = nil
    if !isContinued { position = nil }
    guard let animation = loaded.animation else { return }
    // Frames have the size of the canvas: to scale each for the view costs more than the view takes to scale it.
    let frames = SharedFrames.shared(animation, load, loaded.metadata.icc, convert.image)
    let options = load.viewOptions.playback
    let position = position ?? PlaybackPosition(animation.source, loops: options.loops)
    self.position = position
    let playback = AnimationPlayback(frames, clock, position, onEnd: options.onEnd) { [weak self] frame in
      self?.onChange(.image(frame, density: load.scalesToView ? 1 : density, fadesIn: false))
    }
    self.playback = playback
    if isContinued { playback.showCurrentFrame() }
    playback.isPlaying = mayPlay
  }
}

extension WebP.Size {
  fileprivate func scaled(by factor: Double) -> Self {
    if factor == 1 { return self }
    return Self(
      width: max(1, Int((Double(width) * factor).rounded())), height: max(1, Int((Double(height) * factor).rounded())))
  }
}

extension ImagePresenter {
  typealias Completion = @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void

  /// Converts an image to the type that the view shows.
  struct Conversion {
    /// Converts a frame. Called on other threads than the main thread.
    let image: @Sendable (WebP.Image, _ profile: [UInt8]?) -> Frame?
    /// Converts pixels without copying them. Called on the main thread.
    let pixels: @MainActor (DrawablePixels, _ profile: [UInt8]?) -> Frame?

    @MainActor
    func loaded(_ loaded: Loaded) -> Frame? {
      loaded.drawable.map { pixels($0, loaded.metadata.icc) } ?? image(loaded.image, loaded.metadata.icc)
    }
  }
}
