#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// Shows a WebP from a URL: its place while it is loaded, its rows as they come, and the whole of it with a fade-in.
  /// Animations play.
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { Color.gray.opacity(0.2) }
  ///   .frame(width: 320, height: 240)
  /// ```
  /// A view whose URL changes wants an identity with it: `.id(url)`.
  public struct WebPImage<Placeholder: View>: View {
    /// Kept from one value of this view to the next.
    @State private var model: WebPImageModel
    private let placeholder: Placeholder

    /// - Parameters:
    ///   - fadeSeconds: of a picture that was waited for.
    ///   - placeholder: what is there until the first rows are.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(), fadeSeconds: Double = 0.25,
      @ViewBuilder placeholder: () -> Placeholder
    ) {
      _model = State(wrappedValue: WebPImageModel(url, loader, options, fadeSeconds: fadeSeconds))
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
      ZStack {
        if model.opacity < 1 { placeholder }
        if let shown = model.shown {
          Image(decorative: shown, scale: 1)
            .resizable()
            .aspectRatio(contentMode: .fit)
            .opacity(model.opacity)
        }
      }
    }
  }

  /// What a ``WebPImage`` shows.
  @MainActor
  final class WebPImageModel: ObservableObject {
    /// As it is to be seen: with its pixels turned.
    @Published private(set) var shown: CGImage?
    @Published private(set) var opacity = 0.0

    private let url: URL
    private let loader: WebP.ImageLoader
    private let options: WebP.ImageLoader.Options
    private let fadeSeconds: Double
    private var task: Task<Void, Never>?

    init(_ url: URL, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options, fadeSeconds: Double) {
      var options = options
      options.decoding.format = .bgraPremultiplied
      self.url = url
      self.loader = loader
      self.options = options
      self.fadeSeconds = fadeSeconds
    }

    func start() {
      guard task == nil, !options.avoidsAutoSet else { return }
      task = Task { [weak self] in
        guard let updates = self.map({ $0.loader.updates(for: $0.url, options: $0.options) }) else { return }
        do {
          for try await update in updates {
            guard let self else { return }
            switch update {
            case .placeholder: break
            case .rows(let image, _):
              self.show(image.cgImage(), fadesIn: true)
            case .finished(let loaded):
              await self.show(loaded)
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
      let isFirst = shown == nil
      shown = image
      guard isFirst, fadesIn else {
        opacity = isFirst ? 1 : opacity
        return
      }
      withAnimation(.easeIn(duration: fadeSeconds)) { opacity = 1 }
    }

    private func show(_ loaded: WebP.ImageLoader.Loaded) async {
      // Pictures are turned, and frames decoded, off the main thread.
      let picture = await Task.detached {
        loaded.image.oriented(loaded.metadata.orientation ?? .up).cgImage(profile: loaded.metadata.icc)
      }.value
      if Task.isCancelled { return }
      show(picture, fadesIn: loaded.fadesIn)
      guard let animation = loaded.animation else { return }
      let player = WebPFramePlayer(animation)
      var loops = 0
      var due = ProcessInfo.processInfo.systemUptime
      while animation.loopCount == 0 || loops < animation.loopCount {
        for (index, frame) in animation.frames.enumerated() {
          let image = await Task.detached { player.image(at: index) }.value
          if Task.isCancelled { return }
          show(image, fadesIn: false)
          due += Double(frame.shownDuration) / 1000
          let now = ProcessInfo.processInfo.systemUptime
          // Whoever is far behind is not hurried, as in Playback.
          if now - due > 0.1 { due = now }
          if due > now { try? await Task.sleep(nanoseconds: UInt64((due - now) * 1e9)) }
          if Task.isCancelled { return }
        }
        loops += 1
      }
    }
  }
#endif
