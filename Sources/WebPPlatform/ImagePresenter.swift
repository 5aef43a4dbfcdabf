import Foundation
import PureWebP
import WebPLoading

/// The image of one view: its load, its size, its playback, and the rule by which it fades in. It knows nothing of the
/// view's class.
///
///     view ── load, conditions, cancel ──▶ ImagePresenter ── changes ──▶ view
///                                              │
///                                              ├─ load: a task that receives the updates of the loader
///                                              └─ playback: paused unless the conditions permit it
@MainActor
final class ImagePresenter<Frame: Sendable> {
  /// An event for the view.
  enum Change {
    /// The size of the stored image, in pixels.
    case size(width: Int, height: Int)
    /// An image to show. If it is complete, it is oriented.
    case image(Frame, fadesIn: Bool)
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
  private var side = DecodedSide()
  /// Indicates whether the complete image has been reported.
  private var isReported = false
  /// The number of loads that have begun.
  private var generation = 0

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

  /// The size in which the view shows the image, in pixels. If a larger image is needed, it is loaded again.
  func setDisplayedSize(width: Double, height: Double) {
    let isTooSmall = side.mustDecodeAgain(width: width, height: height)
    if isTooSmall, load?.scalesToView == true, task != nil { start() }
  }

  /// Loads an image, and forgets the previous one.
  func load(_ load: Load) {
    cancel()
    self.load = load
    (extent, isReported, side.imageSide) = (.nothing, false, nil)
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
    playback = nil
    clock.stop()
  }

  private func start() {
    guard let load else { return }
    var options = load.options
    if load.scalesToView, options.decoding.size == nil, let side = side.begin() {
      options.decoding.size = .fit(width: side, height: side)
    }
    generation += 1
    options.onProgress = { [weak self, generation, onProgress = options.onProgress] progress in
      onProgress?(progress)
      Task { @MainActor in
        if self?.generation == generation { self?.onChange(.progress(progress)) }
      }
    }
    let updates = loader.updates(for: load.url, options: options)
    task?.cancel()  // only now, so that the new load shares the download of the previous one
    // The task does not retain the presenter while it waits. If the view is released, the presenter is released too,
    // and cancels the task.
    task = Task { [weak self] in
      do {
        for try await update in updates {
          // An update may be delivered after the load was cancelled.
          if Task.isCancelled { return }
          await self?.receive(update, load)
        }
      } catch is CancellationError {
        // The view has another image, or has disappeared.
      } catch {
        if !Task.isCancelled { self?.onChange(.failure(error)) }
      }
    }
  }

  private func receive(_ update: WebP.ImageLoader.Update, _ load: Load) async {
    switch update {
    case .placeholder(let info, let width, let height):
      side.learn(info)
      onChange(.size(width: width, height: height))
    case .rows(let image, _):
      // If an image is loaded again, a complete one is shown, which rows must not replace.
      guard extent == .nothing || extent == .partial else { return }
      await show(image, nil, as: .partial, fadesIn: true)
    case .cached(let loaded):
      guard load.options.showsImage else { return }
      await show(loaded.upright, loaded.metadata.icc, as: .partial, fadesIn: loaded.fadesIn)
    case .finished(let loaded):
      // A view that is busy receives only the last update, and an image from the memory has no placeholder.
      side.learn(loaded.info)
      if !isReported { onChange(.loaded(loaded)) }
      isReported = true
      guard load.options.showsImage else {
        extent = .still  // nothing to show, and nothing to load again
        return
      }
      await show(
        loaded.upright, loaded.metadata.icc, as: loaded.animation == nil ? .still : .animation, fadesIn: loaded.fadesIn)
      guard !Task.isCancelled, let animation = loaded.animation else { return }
      let (profile, convert) = (loaded.metadata.icc, convert)
      let player = WebPFramePlayer(animation.source, transform: animation.transformed) { convert($0, profile) }
      playback = AnimationPlayback(player, clock) { [weak self] in self?.onChange(.image($0, fadesIn: false)) }
      playback?.isPlaying = mayPlay
    }
  }

  /// Converts and shows an image. Only the first image of a load fades in, and only if it is from the network.
  private func show(_ image: WebP.Image, _ profile: [UInt8]?, as extent: Extent, fadesIn: Bool) async {
    let convert = convert
    let frame = await Task.detached { convert(image, profile) }.value
    guard !Task.isCancelled, let frame else { return }
    onChange(.image(frame, fadesIn: fadesIn && self.extent == .nothing))
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

    init(_ url: URL, _ options: WebP.ImageLoader.Options, scalesToView: Bool) {
      var options = options
      if options.showsImage { options.decoding.format = .bgraPremultiplied } else { options.isProgressive = false }
      self.url = url
      self.options = options
      self.scalesToView = scalesToView && options.showsImage
    }
  }
}

extension WebP.ImageLoader.Loaded {
  fileprivate var upright: WebP.Image { image.oriented(metadata.orientation ?? .up) }
}

/// The maximum side that an image is decoded for. As only the longer side is bounded, the orientation, which is known
/// only after decoding, does not matter.
///
///     shown, in pixels    decoded for       image of 4000 × 3000 pixels
///     none yet            its own size
///     300 × 225           320               320 × 240
///     310 × 233           320               stays
///     640 × 480           640               decoded again
struct DecodedSide: Equatable {
  /// The longer side of the stored image. Nil until it is known.
  var imageSide: Int?
  /// The longer side in which the image is shown, in multiples of 64 pixels, so that few sizes are decoded.
  private var shown: Int?
  /// The side of the current load.
  private var decoded: Int?

  mutating func learn(_ info: WebP.ImageInfo?) {
    if let info { imageSide = max(info.width, info.height) }
  }

  /// Returns the side for a load that begins. Nil if the image is decoded in its own size.
  mutating func begin() -> Int? {
    decoded = shown
    return shown
  }

  /// The longer side, in pixels, of an image that covers a view of the given size. The image may be rotated.
  static func filling(width: Double, height: Double, imageWidth: Double, imageHeight: Double) -> Double {
    let factor = max(
      width / imageWidth, height / imageHeight, width / imageHeight, height / imageWidth)
    return max(imageWidth, imageHeight) * factor
  }

  /// Sets the size in which the image is shown. Returns whether the current load decodes a smaller image.
  mutating func mustDecodeAgain(width: Double, height: Double) -> Bool {
    guard case let side = max(width, height), side >= 1, side < 0x1p24 else { return false }
    shown = (Int(side.rounded(.up)) + 63) / 64 * 64
    guard let decoded, let shown else { return false }
    return shown > decoded && decoded < imageSide ?? .max
  }
}
