#if canImport(SwiftUI)
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// A view that shows a WebP from a URL. It first shows a placeholder with the image's size, then the rows that have
  /// arrived, then the complete image. Images from the network fade in. Animations play unless the user has disabled
  /// animated images.
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { Color.gray.opacity(0.2) }
  ///   .frame(width: 320, height: 240)
  /// ```
  ///
  /// The orientation and the color profile are known only when the image is complete. Until then, placeholder and rows
  /// are not oriented, and colors are shown as sRGB.
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
  /// If the URL changes, the view loads the new image. While the URL stays the same, changes of the loader, the options
  /// and `onLoad` are ignored.
  public struct WebPImage<Placeholder: View>: View {
    private let url: URL
    private let content: WebPImageOfURL<Placeholder>

    /// Creates a view whose placeholder depends on the phase of the load.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - loader: the loader, which several views can share.
    ///   - options: the options of the load.
    ///   - contentMode: how the image fits the view. With `.fill`, give the view a frame and clip it.
    ///   - label: the accessibility label of the image. If nil, the image is decorative.
    ///   - fadeSeconds: the duration of the fade-in of an image from the network, in seconds.
    ///   - onLoad: called with the complete image before it is shown, or instead of showing it if the option
    ///     `showsImage` is false. It may be called again if the view appears again. The pixels are not oriented. Their
    ///     format is `bgraPremultiplied` if the image is shown; otherwise, the options determine it.
    ///   - placeholder: the view to show until the first rows arrive. Once the size of the image is known, the
    ///     placeholder has its aspect ratio. With the option `delaysPlaceholder`, it is shown only if loading fails.
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

    /// Creates a view with the same placeholder in each phase. The other parameters are the same as in the initializer
    /// whose placeholder depends on the phase.
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
    /// The model, which SwiftUI shares among all values of this view.
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
    /// Indicates whether the user permits animated images.
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
      ZStack {  // shows placeholder and image at the same time during the fade
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
