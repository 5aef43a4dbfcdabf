#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// Shows a WebP from a URL: its place as soon as its size is known, its rows as they come, fading in, and the whole
  /// of it. Animations play.
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { Color.gray.opacity(0.2) }
  ///   .frame(width: 320, height: 240)
  /// ```
  /// Place and rows are not turned yet, and colours of rows are sRGB's: orientation and profile are known with the
  /// whole picture.
  ///
  /// It is decorative, so that VoiceOver passes over it. Where it says something, make it an element with a label:
  /// `.accessibilityElement().accessibilityLabel("…")`.
  ///
  /// A view whose URL changes wants an identity with it: `.id(url)`. Until then it has the URL, the options and `onLoad`
  /// that it was first made with.
  public struct WebPImage<Placeholder: View>: View {
    /// Kept from one value of this view to the next.
    @State private var model: WebPImageModel
    private let placeholder: Placeholder

    /// - Parameters:
    ///   - fadeSeconds: of a picture that was waited for.
    ///   - onLoad: is told the whole picture, before it is shown or, if the options say that the view is to show nothing
    ///     by itself, in place of that. A view that appears again may load it, and tell it, again. Its pixels are not
    ///     turned by the orientation that its metadata tells, as what is shown is. Their format is `bgraPremultiplied`,
    ///     or the options' where nothing is to be shown.
    ///   - placeholder: what is there until the first rows are. When the picture's size is known, it is made anew, in
    ///     the same proportions.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(), fadeSeconds: Double = 0.25,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder placeholder: () -> Placeholder
    ) {
      _model = State(wrappedValue: WebPImageModel(url, loader, options, fadeSeconds: fadeSeconds, onLoad))
      self.placeholder = placeholder()
    }

    public var body: some View {
      WebPImageContent(model: model, placeholder: placeholder)
        .onAppear { model.start() }
        .onDisappear { model.stop() }
    }
  }

  private struct WebPImageContent<Placeholder: View>: View {
    @ObservedObject var model: WebPImageModel
    let placeholder: Placeholder

    var body: some View {
      ZStack {  // one place for both, while one fades into the other
        if let shown = model.shown {
          Image(decorative: shown, scale: 1)
            .resizable()
            .aspectRatio(contentMode: .fit)
        } else if let size = model.size {
          placeholder.aspectRatio(size, contentMode: .fit)
        } else {
          placeholder
        }
      }
    }
  }

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

    func start() {
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
              await Self.play(loaded) {
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
    private static func play(
      _ loaded: WebP.ImageLoader.Loaded, _ show: (_ image: CGImage?, _ fadesIn: Bool) -> Void
    ) async {
      let picture = await Task.detached {
        loaded.image.oriented(loaded.metadata.orientation ?? .up).cgImage(profile: loaded.metadata.icc)
      }.value
      if Task.isCancelled { return }
      show(picture, loaded.fadesIn)
      guard let animation = loaded.animation else { return }
      await WebPFramePlayer(animation).play { show($0, false) }
    }
  }
#endif
