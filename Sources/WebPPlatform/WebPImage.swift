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
          Image(decorative: shown.image, scale: 1, orientation: shown.orientation)
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
    struct Shown {
      let image: CGImage
      let orientation: Image.Orientation
    }

    @Published private(set) var shown: Shown?
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
              self.show(image.cgImage(), .up, fadesIn: true)
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

    private func show(_ image: CGImage?, _ orientation: WebP.Orientation, fadesIn: Bool) {
      guard let image else { return }
      let isFirst = shown == nil
      shown = Shown(image: image, orientation: Image.Orientation(orientation))
      guard isFirst, fadesIn else {
        opacity = isFirst ? 1 : opacity
        return
      }
      withAnimation(.easeIn(duration: fadeSeconds)) { opacity = 1 }
    }

    private func show(_ loaded: WebP.ImageLoader.Loaded) async {
      let orientation = loaded.metadata.orientation ?? .up
      show(loaded.image.cgImage(profile: loaded.metadata.icc), orientation, fadesIn: loaded.fadesIn)
      guard let animation = loaded.animation else { return }
      let player = WebPFramePlayer(animation)
      var loops = 0
      while animation.loopCount == 0 || loops < animation.loopCount {
        for (index, frame) in animation.frames.enumerated() {
          // Frames are decoded off the main thread.
          let image = await Task.detached { player.image(at: index) }.value
          if Task.isCancelled { return }
          show(image, .up, fadesIn: false)
          try? await Task.sleep(nanoseconds: UInt64(frame.shownDuration) * 1_000_000)
        }
        loops += 1
      }
    }
  }

  extension Image.Orientation {
    fileprivate init(_ orientation: WebP.Orientation) {
      switch orientation {
      case .up: self = .up
      case .upMirrored: self = .upMirrored
      case .down: self = .down
      case .downMirrored: self = .downMirrored
      case .left: self = .left
      case .leftMirrored: self = .leftMirrored
      case .right: self = .right
      case .rightMirrored: self = .rightMirrored
      }
    }
  }
#endif
