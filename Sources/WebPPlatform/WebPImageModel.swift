#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// The state of a ``WebPImage``. `CGImage`s are created on other threads than the main thread, because this copies
  /// the pixels.
  @MainActor
  final class WebPImageModel: ObservableObject {
    /// The image to show. A complete image is oriented.
    @Published private(set) var shown: CGImage?
    /// The size of the stored image, in pixels.
    @Published private(set) var size: CGSize?
    /// The state of the load. After a failure, an earlier image is still shown.
    @Published private(set) var phase = WebPImagePhase.loading(nil)

    private let url: URL
    private let loader: WebP.ImageLoader
    private let options: WebP.ImageLoader.Options
    private let fadeSeconds: Double
    private let onLoad: @MainActor (WebP.ImageLoader.Loaded) -> Void
    private var task: Task<Void, Never>?
    private var extent = Extent.partial

    /// The part of the image that is shown.
    private enum Extent { case partial, still, animation }

    init(
      _ url: URL, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options, fadeSeconds: Double,
      _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void
    ) {
      var options = options
      if options.showsImage { options.decoding.format = .bgraPremultiplied } else { options.isProgressive = false }
      self.url = url
      self.loader = loader
      self.options = options
      self.fadeSeconds = fadeSeconds
      self.onLoad = onLoad
    }

    deinit { task?.cancel() }

    /// Indicates whether the placeholder is shown while there is no image.
    var showsPlaceholder: Bool {
      if case .failure = phase { return true }
      return !options.delaysPlaceholder
    }

    /// Starts the load, unless it is running or a still image is complete.
    ///
    /// - Parameter plays: true to play animations, false to show their first frame.
    func start(plays: Bool) {
      guard task == nil, extent != .still else { return }
      phase = .loading(nil)
      var options = options
      options.onProgress = { [weak self, onProgress = options.onProgress] progress in
        onProgress?(progress)
        Task { @MainActor in self?.advance(to: progress) }
      }
      // The task does not retain the model while it waits. If the view is released, the model is released too, and
      // cancels the task.
      task = Task { [weak self] in
        guard let updates = self.map({ $0.loader.updates(for: $0.url, options: options) }) else { return }
        do {
          for try await update in updates {
            switch update {
            case .placeholder(_, let width, let height): self?.size = CGSize(width: width, height: height)
            case .rows(let image, _):
              // If an animation is loaded again, a complete frame is shown, which rows must not replace.
              guard self?.extent == .partial else { continue }
              let cgImage = await Task.detached { image.cgImage() }.value
              if Task.isCancelled { return }
              self?.show(cgImage, fadesIn: true)
            case .cached(let loaded):
              guard options.showsImage else { continue }
              await Self.show(loaded, plays: false) { self?.show($0, fadesIn: $1) }
            case .finished(let loaded):
              self?.onLoad(loaded)
              guard options.showsImage else {
                self?.extent = .still  // nothing to show, and nothing to load again
                continue
              }
              await Self.show(loaded, plays: plays) {
                self?.show($0, fadesIn: $1)
                self?.extent = loaded.animation == nil ? .still : .animation
              }
            }
          }
        } catch is CancellationError {
          // The view has disappeared.
        } catch {
          self?.phase = .failure(error)
        }
      }
    }

    func stop() {
      task?.cancel()
      task = nil
    }

    /// Publishes the progress while the placeholder is shown. Progress that arrives out of order is ignored.
    private func advance(to progress: WebP.ImageLoader.ByteProgress) {
      guard shown == nil, case .loading(let before) = phase else { return }
      if progress.receivedBytes > before?.receivedBytes ?? 0 { phase = .loading(progress) }
    }

    private func show(_ image: CGImage?, fadesIn: Bool) {
      guard let image else { return }
      // An animated change of `shown` fades the new image in and the placeholder out.
      withAnimation(shown == nil && fadesIn ? .easeIn(duration: fadeSeconds) : nil) { shown = image }
    }

    /// Shows the complete image, and plays an animation.
    private static func show(
      _ loaded: WebP.ImageLoader.Loaded, plays: Bool, _ show: (_ image: CGImage?, _ fadesIn: Bool) -> Void
    ) async {
      let cgImage = await Task.detached {
        loaded.image.oriented(loaded.metadata.orientation ?? .up).cgImage(profile: loaded.metadata.icc)
      }.value
      if Task.isCancelled { return }
      show(cgImage, loaded.fadesIn)
      guard plays, let animation = loaded.animation else { return }
      await WebPFramePlayer(animation.source, transform: animation.transformed).play { show($0, false) }
    }
  }
#endif
