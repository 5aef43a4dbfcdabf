#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// Shows a WebP from a URL: a placeholder of the image's size, then its rows as they arrive, which fade in, and the
  /// complete image. Animations play unless the user has turned that off.
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { Color.gray.opacity(0.2) }
  ///   .frame(width: 320, height: 240)
  /// ```
  /// Orientation and profile are known when the image is complete. Until then the placeholder and the rows are not
  /// oriented, and the colors of rows are shown as sRGB.
  ///
  /// VoiceOver ignores the view. If it conveys information, make it an element with a label:
  /// `.accessibilityElement().accessibilityLabel("…")`.
  ///
  /// If the URL changes, the view starts again. While the URL stays the same, later values of loader, options and
  /// `onLoad` are ignored.
  public struct WebPImage<Placeholder: View>: View {
    private let url: URL
    private let content: WebPImageOfURL<Placeholder>

    /// - Parameters:
    ///   - fadeSeconds: the duration of the fade-in of an image from the network, in seconds.
    ///   - onLoad: receives the complete image before it is shown. With ``WebPLoading``'s option `avoidsAutoSet` it is
    ///     not shown. A view that appears again may load the image again. The pixels are not oriented by the image's
    ///     metadata. Their format is `bgraPremultiplied`, or the format of the options with `avoidsAutoSet`.
    ///   - placeholder: shown until the first rows arrive, in the proportions of the image when its size is known. With
    ///     the option `delaysPlaceholder` it is shown only if loading fails.
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
    /// Shared by all values of this view.
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
    /// The user permits animated images.
    fileprivate var playsAnimatedImages: Bool {
      if #available(macOS 14, iOS 17, tvOS 17, watchOS 10, *) { return accessibilityPlayAnimatedImages }
      return !accessibilityReduceMotion
    }
  }

  private struct WebPImageContent<Placeholder: View>: View {
    @ObservedObject var model: WebPImageModel
    let placeholder: Placeholder

    var body: some View {
      ZStack {  // shows both while one fades into the other
        if let shown = model.shown {
          Image(decorative: shown, scale: 1)
            .resizable()
            .aspectRatio(contentMode: .fit)
        } else if !model.showsPlaceholder {
          EmptyView()
        } else if let size = model.size {
          placeholder.aspectRatio(size, contentMode: .fit)
        } else {
          placeholder
        }
      }
    }
  }
#endif
