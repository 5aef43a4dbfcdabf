#if canImport(SwiftUI)
  import Combine
  import CoreGraphics
  import Foundation
  import PureWebP
  import SwiftUI
  import WebPLoading

  /// A view that shows a WebP from a URL. It first shows a placeholder with the image's size, then the rows that have
  /// arrived, then the complete image. Images from the network fade in.
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { Color.gray.opacity(0.2) }
  ///   .frame(width: 320, height: 240)
  /// ```
  ///
  /// Animations play while the view may be on the screen, unless the user has disabled animated images or enabled
  /// Reduce Motion, or the device is in Low Power Mode. The image is decoded for the size and the display scale in
  /// which it is shown. If the view becomes larger, the image is decoded again.
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
  /// As in `AsyncImage`, a closure can change the image before it is shown:
  ///
  /// ```swift
  /// WebPImage(url, loader: loader) { image in
  ///   image.resizable().scaledToFill().clipShape(Circle())
  /// } placeholder: { phase in
  ///   Color.gray
  /// }
  /// ```
  ///
  /// If the URL changes, the view loads the new image. While the URL stays the same, changes of the loader, the options
  /// and `onLoad` are ignored.
  public struct WebPImage<Content: View, Placeholder: View>: View {
    private let url: URL
    private let view: WebPImageOfURL<Content, Placeholder>

    /// Creates a view whose image and placeholder are made by closures.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - loader: the loader, which several views can share.
    ///   - options: the options of the load.
    ///   - viewOptions: how the image is shown.
    ///   - label: the accessibility label of the image. If nil, the image is decorative.
    ///   - onLoad: called with the complete image before it is shown, or instead of showing it. The format of the
    ///     pixels is `bgraPremultiplied` if the image is shown; otherwise, the options determine it.
    ///   - content: the view that shows the image.
    ///   - placeholder: the view to show until the first rows arrive. Once the size of the image is known, the
    ///     placeholder has its aspect ratio.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      viewOptions: WebPViewOptions = .init(), label: Text? = nil,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder content: @escaping (Image) -> Content,
      @ViewBuilder placeholder: @escaping (WebPImagePhase) -> Placeholder
    ) {
      self.url = url
      view = WebPImageOfURL(
        model: WebPImageModel(url, loader, options, viewOptions, onLoad), label: label, contentMode: .fit,
        content: content, placeholder: placeholder)
    }

    public var body: some View { view.id(url) }
  }

  extension WebPImage where Content == WebPFittedImage {
    /// Creates a view whose placeholder depends on the phase of the load.
    ///
    /// - Parameter contentMode: how the image fits the view. With `.fill`, give the view a frame and clip it. The other
    ///   parameters are the same as in the initializer with two closures.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      viewOptions: WebPViewOptions = .init(), contentMode: ContentMode = .fit, label: Text? = nil,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder placeholder: @escaping (WebPImagePhase) -> Placeholder
    ) {
      self.url = url
      view = WebPImageOfURL(
        model: WebPImageModel(url, loader, options, viewOptions, onLoad), label: label, contentMode: contentMode,
        content: { WebPFittedImage(image: $0, contentMode: contentMode) }, placeholder: placeholder)
    }

    /// Creates a view with the same placeholder in each phase. The other parameters are the same as in the initializer
    /// whose placeholder depends on the phase.
    public init(
      _ url: URL, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      viewOptions: WebPViewOptions = .init(), contentMode: ContentMode = .fit, label: Text? = nil,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder placeholder: () -> Placeholder
    ) {
      let placeholder = placeholder()
      self.init(
        url, loader: loader, options: options, viewOptions: viewOptions, contentMode: contentMode, label: label,
        onLoad: onLoad
      ) { _ in placeholder }
    }
  }

  /// The phase of a load during which a ``WebPImage`` shows its placeholder.
  public enum WebPImagePhase: Sendable {
    /// The image is being loaded. The progress is nil until bytes have arrived from a server. It does not decrease if
    /// the request is retried.
    case loading(WebP.ImageLoader.ByteProgress?)
    /// Loading has failed.
    case failure(any Error)
  }

  /// An image that fills the size that is proposed to it, in its aspect ratio.
  public struct WebPFittedImage: View {
    fileprivate let image: Image
    fileprivate let contentMode: ContentMode

    public var body: some View { image.resizable().aspectRatio(contentMode: contentMode) }
  }

  private struct WebPImageOfURL<Content: View, Placeholder: View>: View {
    /// The model, which SwiftUI shares among all values of this view.
    @State var model: WebPImageModel
    let label: Text?
    let contentMode: ContentMode
    let content: (Image) -> Content
    let placeholder: (WebPImagePhase) -> Placeholder
    @Environment(\.self) private var environment

    var body: some View {
      WebPImageContent(
        model: model, label: label, contentMode: contentMode, content: content, placeholder: placeholder
      )
      .background(
        GeometryReader { proxy in
          // Before iOS 14, `onChange(of:)` does not exist. A publisher delivers its value again when it changes.
          Color.clear.onReceive(Just(environment.conditions(proxy))) { model.update($0) }
        }
      )
      .onAppear { model.resume() }
      .onDisappear { model.stop() }
    }
  }

  private struct WebPImageContent<Content: View, Placeholder: View>: View {
    @ObservedObject var model: WebPImageModel
    let label: Text?
    let contentMode: ContentMode
    let content: (Image) -> Content
    let placeholder: (WebPImagePhase) -> Placeholder
    @Environment(\.displayScale) private var displayScale

    var body: some View {
      ZStack {  // shows placeholder and image at the same time during the fade
        if let shown = model.shown ?? model.preview {
          content(image(shown))
        } else if !model.showsPlaceholder {
          EmptyView()
        } else if let size = model.size {
          placeholder(model.phase).aspectRatio(size, contentMode: contentMode)
        } else {
          placeholder(model.phase)
        }
      }
    }

    /// The ideal size of the image does not depend on the size that it was decoded for.
    private func image(_ shown: WebPImageModel.Shown) -> Image {
      let scale = displayScale * CGFloat(shown.density)
      if let label { return Image(shown.image, scale: scale, label: label) }
      return Image(decorative: shown.image, scale: scale)
    }
  }
#endif
