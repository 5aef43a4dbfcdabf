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
  /// VoiceOver reads the label of the image. Without a label it ignores the image as decorative.
  ///
  /// A placeholder can show the progress and failures:
  ///
  /// ```swift
  /// WebPImage(url, loader: loader, label: Text("A lighthouse")) { phase in
  ///   switch phase {
  ///   case .loading(let progress): ProgressView(value: progress?.fraction)
  ///   case .failure: Image(systemName: "exclamationmark.triangle")
  ///   }
  /// }
  /// ```
  ///
  /// If the URL changes, the view starts again. While the URL stays the same, later values of loader, options and
  /// `onLoad` are ignored.
  public struct WebPImage<Placeholder: View>: View {
    private let url: URL
    private let content: WebPImageOfURL<Placeholder>

    /// Creates a view whose placeholder depends on the phase of the load.
    ///
    /// - Parameters:
    ///   - contentMode: how the image fits the view. With `.fill`, give the view a frame and clip it.
    ///   - label: the accessibility label of the image. If nil, the image is decorative.
    ///   - fadeSeconds: the duration of the fade-in of an image from the network, in seconds.
    ///   - onLoad: receives the complete image before it is shown. If the option `showsImage` is false, it is not shown.
    ///     A view that appears again may load the image again. The pixels are not oriented by the image's metadata. Their
    ///     format is `bgraPremultiplied`, or the format of the options if the image is not shown.
    ///   - placeholder: shown until the first rows arrive, in the proportions of the image when its size is known. With
    ///     the option `delaysPlaceholder` it is shown only if loading fails.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      contentMode: ContentMode = .fit, label: Text? = nil, fadeSeconds: Double = 0.25,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder placeholder: @escaping (WebPImagePhase) -> Placeholder
    ) {
      self.url = url
      content = WebPImageOfURL(
        model: WebPImageModel(url, loader, options, fadeSeconds: fadeSeconds, onLoad), contentMode: contentMode,
        label: label, placeholder: placeholder)
    }

    /// Creates a view with the same placeholder in each phase. The parameters are the same as above.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      contentMode: ContentMode = .fit, label: Text? = nil, fadeSeconds: Double = 0.25,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder placeholder: () -> Placeholder
    ) {
      let placeholder = placeholder()
      self.init(
        url, loader: loader, options: options, contentMode: contentMode, label: label, fadeSeconds: fadeSeconds,
        onLoad: onLoad
      ) { _ in placeholder }
    }

    public var body: some View { content.id(url) }
  }

  private struct WebPImageOfURL<Placeholder: View>: View {
    /// Shared by all values of this view.
    @State var model: WebPImageModel
    let contentMode: ContentMode
    let label: Text?
    let placeholder: (WebPImagePhase) -> Placeholder
    @Environment(\.self) private var environment

    var body: some View {
      WebPImageContent(model: model, contentMode: contentMode, label: label, placeholder: placeholder)
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
    let contentMode: ContentMode
    let label: Text?
    let placeholder: (WebPImagePhase) -> Placeholder

    var body: some View {
      ZStack {  // shows both while one fades into the other
        if let shown = model.shown {
          image(shown)
            .resizable()
            .aspectRatio(contentMode: contentMode)
        } else if !model.showsPlaceholder {
          EmptyView()
        } else if let size = model.size {
          placeholder(model.phase).aspectRatio(size, contentMode: contentMode)
        } else {
          placeholder(model.phase)
        }
      }
    }

    private func image(_ image: CGImage) -> Image {
      if let label { return Image(image, scale: 1, label: label) }
      return Image(decorative: image, scale: 1)
    }
  }
#endif
