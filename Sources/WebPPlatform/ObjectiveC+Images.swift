// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The interface for Objective-C: images and image views.

import Foundation
import PureWebP
import WebPLoading

#if canImport(UIKit)
  import UIKit
#elseif canImport(AppKit)
  import AppKit
#endif

#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  /// The pacing of a transition, for Objective-C, with the raw values of `WebPViewOptions.Fade.Curve`.
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  public enum WebPFadeCurve: Int, Sendable { case linear, easeIn, easeOut, easeInOut }

  /// The priority of a download, for Objective-C.
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  public enum WebPPriority: Int, Sendable { case low, normal, high }

  /// The source of an image, for Objective-C. There is none after an error.
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  public enum WebPImageSource: Int, Sendable { case none, memory, cache, network }

  /// Receives the number of bytes that have arrived, and the number of all bytes. This one is -1 if it is not known.
  public typealias WebPImageProgress = @MainActor (_ received: Int, _ expected: Int) -> Void
  /// Receives an image with its source, or an error, and the URL.
  public typealias WebPImageCompletion = @MainActor (WebPPlatformImage?, (any Error)?, WebPImageSource, URL?) -> Void

  /// The options of an image view, for Objective-C.
  ///
  ///     WebPImageOptions *options = [WebPImageOptions new];
  ///     options.fadeSeconds = 0.85;
  ///     options.fadeCurve = WebPFadeCurveEaseInOut;
  ///     options.priority = WebPPriorityLow;
  #if canImport(ObjectiveC.NSObject)
    @objcMembers
  #endif
  public final class WebPImageOptions: NSObject {
    /// The duration of the fade-in of an image from the network, in seconds.
    public var fadeSeconds = 0.25
    /// The pacing of the fade-in.
    public var fadeCurve = WebPFadeCurve.easeIn
    /// Indicates whether the placeholder is shown only after the load has failed.
    public var delaysPlaceholder = false
    /// Indicates whether the view shows the image. If not, only the completion receives it.
    public var showsImage = true
    /// Indicates whether the image is decoded for the size of the view.
    public var scalesToView = true
    /// The number of pixels per point. 0 for the number in the name (`@2x.`), or 1.
    public var scale = 0.0
    /// Indicates whether the number of pixels per point is the one of the screen.
    public var usesScaleOfScreen = false
    /// The number of loops of an animation. 0 is endless. If it is negative, the file determines the number.
    public var loops = -1
    /// Indicates whether animations play in Low Power Mode.
    public var ignoresLowPowerMode = false
    /// Indicates whether `webp_modifier` changes the frames of animations. It always changes other images.
    public var modifiesAnimations = true
    /// The priority of the download.
    public var priority = WebPPriority.normal
    /// Indicates whether to send a request that has failed permanently before.
    public var retriesFailed = false
    /// Indicates whether the file must not be stored on disk.
    public var keepsInMemoryOnly = false
    /// Indicates whether to ask the server even if the image in the cache is fresh.
    public var refreshesCached = false
    /// Indicates whether rows are shown while they arrive.
    public var isProgressive = true
    /// Indicates whether the download continues when the app enters the background.
    public var continuesInBackground = false
    /// Indicates whether to send the session's cookies and store new ones.
    public var handlesCookies = true
    /// Indicates whether to accept any server certificate. Only for test servers.
    public var allowsInvalidCertificates = false

    fileprivate var viewOptions: WebPViewOptions {
      .init(
        scalesToView: scalesToView, showsImage: showsImage, delaysPlaceholder: delaysPlaceholder,
        fade: .init(seconds: fadeSeconds, curve: .init(rawValue: fadeCurve.rawValue) ?? .easeIn),
        scale: usesScaleOfScreen ? .ofScreen : scale > 0 ? .number(scale) : .ofName,
        playback: .init(loops: loops < 0 ? nil : loops, ignoresLowPowerMode: ignoresLowPowerMode),
        modifiesAnimations: modifiesAnimations)
    }

    fileprivate var loadOptions: WebP.ImageLoader.Options {
      .init(
        retriesFailed: retriesFailed, priority: .init(rawValue: priority.rawValue) ?? .normal,
        keepsInMemoryOnly: keepsInMemoryOnly, refreshesCached: refreshesCached, isProgressive: isProgressive,
        handlesCookies: handlesCookies, continuesInBackground: continuesInBackground,
        allowsInvalidCertificates: allowsInvalidCertificates)
    }
  }

  extension WebPPlatformImageView {
    /// Loads an image with the shared loader. Nil stands for a missing URL.
    func load(
      _ source: WebPSource?, _ placeholder: WebPPlatformImage?, _ options: WebPImageOptions?,
      _ progress: WebPImageProgress?, _ completion: WebPImageCompletion?
    ) {
      let options = options ?? WebPImageOptions()
      var loadOptions = options.loadOptions
      if let progress {
        loadOptions.onProgress = { bytes in
          Task { @MainActor in progress(bytes.receivedBytes, bytes.expectedBytes ?? -1) }
        }
      }
      let url = source?.url
      let finish: ImagePresenter<CGImage>.Completion = { [weak self] result in
        switch result {
        case .success(let loaded):
          let image = options.showsImage ? self?.image : self?.image(loaded, options.viewOptions.scale, url)
          completion?(image, nil, .init(loaded.source), url)
        case .failure(let error): completion?(nil, error, .none, url)
        }
      }
      guard let source else { return driver.show(placeholder: placeholder, finish) }
      driver.load(source, .shared, loadOptions, options.viewOptions, placeholder, finish)
    }
  }

  extension WebPPlatformImageView {
    /// An image that the view does not show.
    private func image(
      _ loaded: WebP.ImageLoader.Loaded, _ scale: WebPViewOptions.Scale, _ url: URL?
    ) -> WebPPlatformImage? {
      let scale = scale.pixelsPerPoint(url).map { CGFloat($0) } ?? pixelsPerPoint ?? 1
      return ImagePresenter<CGImage>.Conversion.drawable.loaded(loaded).map { makeImage($0, pixelsPerPoint: scale) }
    }
  }

  extension WebPImageSource {
    fileprivate init(_ source: WebP.ImageLoader.Loaded.Source) {
      self =
        switch source {
        case .memory: .memory
        case .cache: .cache
        case .network: .network
        }
    }
  }

  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  @available(swift, obsoleted: 1.0)
  extension WebPPlatformImageView {
    /// Loads and shows a WebP, with `WebP.ImageLoader.shared`.
    ///
    /// - Parameter completion: Called once on the main thread, after the view shows the image, or with an error. The
    ///   error is a `CancellationError` if another call replaces the load.
    public func webp_setImage(
      withURL url: URL?, placeholder: WebPPlatformImage?, options: WebPImageOptions?,
      progress: WebPImageProgress?,
      completion: WebPImageCompletion?
    ) {
      load(url.map { WebPSource($0) }, placeholder, options, progress, completion)
    }

    /// Loads and shows a WebP with a request.
    public func webp_setImage(
      withRequest request: URLRequest, placeholder: WebPPlatformImage?, options: WebPImageOptions?,
      progress: WebPImageProgress?,
      completion: WebPImageCompletion?
    ) {
      load(WebPSource(request), placeholder, options, progress, completion)
    }

    /// Shows a WebP that the app has loaded.
    public func webp_setImage(
      withData data: Data, placeholder: WebPPlatformImage?, options: WebPImageOptions?,
      completion: WebPImageCompletion?
    ) {
      load(WebPSource(data), placeholder, options, nil, completion)
    }

    /// Cancels the load of the view, and ends the playback. Call it in `prepareForReuse`.
    public func webp_cancelImage() { cancelWebP() }

    /// Plays the animation, also if the settings of the system stop animations.
    public func webp_play() { playWebP() }

    /// Pauses the animation.
    public func webp_pause() { pauseWebP() }

    /// Turns each image of a load into the image that the view shows, also frames of animations.
    public var webp_modifier: (@MainActor (WebPPlatformImage) -> WebPPlatformImage)? {
      get { webPModifier }
      set { webPModifier = newValue }
    }

    /// The image that is shown after a failure.
    public var webp_failureImage: WebPPlatformImage? {
      get { webPFailureImage }
      set { webPFailureImage = newValue }
    }
  }
#endif
