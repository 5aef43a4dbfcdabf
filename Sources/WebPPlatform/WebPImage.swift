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
  ///   @unknown default: Color.gray
  ///   }
  /// }
  /// ```
  ///
  /// As in `AsyncImage`, a closure can change the image before it is shown, and crop it. The image is decoded to cover
  /// the view, with at most four times the pixels of an image that fits it:
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
  /// and `onLoad` are ignored, except for `viewOptions.playback.control`.
  public struct WebPImage<Content: View, Placeholder: View>: View {
    private let source: WebPSource
    private let view: WebPImageOfSource<Content, Placeholder>

    /// Creates a view whose image and placeholder are made by closures.
    ///
    /// - Parameters:
    ///   - url: the URL of the image.
    ///   - loader: the loader, which several views can share.
    ///   - options: the options of the load.
    ///   - viewOptions: how the image is shown.
    ///   - label: the accessibility label of the image. If nil, the image is decorative.
    ///   - onLoad: called with the complete image after it is shown, or instead of showing it. The format of the pixels
    ///     is `bgraPremultiplied` if the image is shown; otherwise, the options determine it.
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
      self.init(
        WebPSource(url), loader, options, viewOptions, onLoad, label: label, content: content, placeholder: placeholder
      )
    }

    /// Creates a view for a request or data. The other parameters are the same as in the initializer for a URL.
    public init(
      _ source: WebPSource, loader: WebP.ImageLoader, options: WebP.ImageLoader.Options = .init(),
      viewOptions: WebPViewOptions = .init(), label: Text? = nil,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in },
      @ViewBuilder content: @escaping (Image) -> Content,
      @ViewBuilder placeholder: @escaping (WebPImagePhase) -> Placeholder
    ) {
      self.init(
        source, loader, options, viewOptions, onLoad, label: label, content: content, placeholder: placeholder)
    }

    /// - Parameter fits: whether the view shows the complete image within its size.
    fileprivate init(
      _ source: WebPSource, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options,
      _ viewOptions: WebPViewOptions, _ onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void,
      label: Text?, contentMode: ContentMode = .fit, fits: Bool = false, content: @escaping (Image) -> Content,
      placeholder: @escaping (WebPImagePhase) -> Placeholder
    ) {
      self.source = source
      view = WebPImageOfSource(
        model: WebPImageModel(source, loader, options, viewOptions, fits: fits, onLoad), label: label,
        contentMode: contentMode, playback: viewOptions.playback, content: content, placeholder: placeholder)
    }

    public var body: some View { view.id(source) }
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
      self.init(
        WebPSource(url), loader, options, viewOptions, onLoad, label: label, contentMode: contentMode,
        fits: contentMode == .fit, content: { WebPFittedImage(image: $0, contentMode: contentMode) },
        placeholder: placeholder)
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
  @nonexhaustive
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

  private struct WebPImageOfSource<Content: View, Placeholder: View>: View {
    /// The model, which SwiftUI shares among all values of this view.
    @State var model: WebPImageModel
    let label: Text?
    let contentMode: ContentMode
    let playback: WebPViewOptions.Playback
    let content: (Image) -> Content
    let placeholder: (WebPImagePhase) -> Placeholder

    var body: some View {
      WebPImageContent(
        model: model, label: label, contentMode: contentMode, content: content, placeholder: placeholder
      )
      .background(WebPImageConditions(kind: model.kind, model: model, playback: playback))
      .onAppear { model.resume() }
      .onDisappear { model.stop() }
    }
  }

  /// Passes the conditions of the view to its model.
  private struct WebPImageConditions: View {
    @ObservedObject var kind: WebPImageModel.Kind
    let model: WebPImageModel
    let playback: WebPViewOptions.Playback
    @Environment(\.self) private var environment

    var body: some View {
      GeometryReader { proxy in
        // Before iOS 14, `onChange(of:)` does not exist. A publisher delivers its value again when it changes.
        Color.clear.onReceive(Just(environment.conditions(proxy, isAnimated: kind.isAnimated))) {
          model.update($0, playback)
        }
      }
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
      let scale = model.pixelsPerPoint(shown, displayScale: displayScale)
      if let label { return Image(shown.image, scale: scale, label: label) }
      return Image(decorative: shown.image, scale: scale)
    }
  }
#endif
