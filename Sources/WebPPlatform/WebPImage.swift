#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// Shows a WebP from a URL: its place as soon as its size is known, its rows as they come, fading in, and the whole
  /// of it. Animations play, unless the user has turned that off.
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
  /// Where its URL changes, it begins anew. Loader, options and `onLoad` are those that it was first made with for that
  /// URL.
  public struct WebPImage<Placeholder: View>: View {
    private let url: URL
    private let content: WebPImageOfURL<Placeholder>

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
      self.url = url
      content = WebPImageOfURL(
        model: WebPImageModel(url, loader, options, fadeSeconds: fadeSeconds, onLoad), placeholder: placeholder())
    }

    public var body: some View { content.id(url) }
  }

  private struct WebPImageOfURL<Placeholder: View>: View {
    /// Kept from one value of this view to the next.
    @State var model: WebPImageModel
    let placeholder: Placeholder
    @Environment(\.self) private var environment

    var body: some View {
      WebPImageContent(model: model, placeholder: placeholder)
        .onAppear { model.start(plays: environment.playsAnimatedImages) }
        .onDisappear { model.stop() }
    }
  }

  extension EnvironmentValues {
    /// What the user wants of images that move.
    fileprivate var playsAnimatedImages: Bool {
      if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { return accessibilityPlayAnimatedImages }
      return !accessibilityReduceMotion
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
#endif
