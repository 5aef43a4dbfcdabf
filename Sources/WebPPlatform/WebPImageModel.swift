#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// What a ``WebPImage`` shows. Pictures for CoreGraphics are made off the main thread, for they take a copy.
  @MainActor
  final class WebPImageModel: ObservableObject {
    /// As it is to be seen.
    @Published private(set) var shown: CGImage?
    /// As it is decoded, in pixels.
    @Published private(set) var size: CGSize?

    private let url: URL
    private let loader: WebP.ImageLoader
    private let options: WebP.ImageLoader.Options
    private let fadeSeconds: Double
    private let onLoad: @MainActor (WebP.ImageLoader.Loaded) -> Void
    private var task: Task<Void, Never>?
    private var extent = Extent.partial

    /// How much of the picture is shown.
    private enum Extent { case partial, still, animation }

    init(
      _ url: URL, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options, fadeSeconds: Double,
      _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void
    ) {
      var options = options
      if options.avoidsAutoSet { options.isProgressive = false } else { options.decoding.format = .bgraPremultiplied }
      self.url = url
      self.loader = loader
      self.options = options
      self.fadeSeconds = fadeSeconds
      self.onLoad = onLoad
    }

    deinit { task?.cancel() }

    /// - Parameter plays: whether an animation shows more than its first frame.
    func start(plays: Bool) {
      guard task == nil, extent != .still else { return }
      // The task never holds the model while it waits, so that both end with a view that goes away without a word.
      task = Task { [weak self] in
        guard let updates = self.map({ $0.loader.updates(for: $0.url, options: $0.options) }) else { return }
        do {
          for try await update in updates {
            switch update {
            case .placeholder(_, let width, let height): self?.size = CGSize(width: width, height: height)
            case .rows(let image, _):
              // An animation that begins again shows all of a frame already.
              guard self?.extent == .partial else { continue }
              let picture = await Task.detached { image.cgImage() }.value
              if Task.isCancelled { return }
              self?.show(picture, fadesIn: true)
            case .finished(let loaded):
              self?.onLoad(loaded)
              guard self?.options.avoidsAutoSet == false else {
                self?.extent = .still  // nothing to show, and nothing to load again
                continue
              }
              await Self.show(loaded, plays: plays) {
                self?.show($0, fadesIn: $1)
                self?.extent = loaded.animation == nil ? .still : .animation
              }
            }
          }
        } catch {
          // What is shown stays: the placeholder, or the rows that there are.
        }
      }
    }

    func stop() {
      task?.cancel()
      task = nil
    }

    private func show(_ image: CGImage?, fadesIn: Bool) {
      guard let image else { return }
      // What comes with an animation fades in, and what goes fades out.
      withAnimation(shown == nil && fadesIn ? .easeIn(duration: fadeSeconds) : nil) { shown = image }
    }

    /// Shows the whole of it, and what moves for as long as it does.
    private static func show(
      _ loaded: WebP.ImageLoader.Loaded, plays: Bool, _ show: (_ image: CGImage?, _ fadesIn: Bool) -> Void
    ) async {
      let picture = await Task.detached {
        loaded.image.oriented(loaded.metadata.orientation ?? .up).cgImage(profile: loaded.metadata.icc)
      }.value
      if Task.isCancelled { return }
      show(picture, loaded.fadesIn)
      guard plays, let animation = loaded.animation else { return }
      await WebPFramePlayer(animation).play { show($0, false) }
    }
  }
#endif
