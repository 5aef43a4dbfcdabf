#if canImport(UIKit) && !os(watchOS) || canImport(AppKit) && !targetEnvironment(macCatalyst)
  import Foundation
  import PureWebP
  import WebPLoading

  #if canImport(UIKit)
    import UIKit

    /// The image of this system.
    public typealias WebPPlatformImage = UIImage
    /// The image view of this system.
    public typealias WebPPlatformImageView = UIImageView
  #else
    import AppKit

    /// The image of this system.
    public typealias WebPPlatformImage = NSImage
    /// The image view of this system.
    public typealias WebPPlatformImageView = NSImageView
  #endif

  extension WebPPlatformImageView {
    /// Loads and shows a WebP: first the placeholder, then the rows that have arrived, then the complete image. The
    /// first image from the network fades in. Animations play while the view is visible, unless the user has disabled
    /// animated images or enabled Reduce Motion or Low Power Mode. An `NSImageView` needs a layer to fade.
    ///
    /// ```swift
    /// cell.photo.setWebP(url, loader: loader, placeholder: UIImage(named: "gray"))
    /// ```
    ///
    /// A call replaces the previous load of the view, so that a reused cell never shows an earlier image. If the URL,
    /// the loader and the options that determine the pixels are equal, the load continues. An image in the memory of
    /// the loader is shown before the call returns, without a placeholder. If it is smaller than the view, it is shown
    /// until the right one is ready.
    ///
    /// If the view scales its image, it is decoded after the next layout pass, in the size that the view shows
    /// on its screen. If the view later needs more pixels, the image is decoded again. The size of the shown image in
    /// points does not depend on this: `viewOptions.scale` determines it. A view without constraints for its size
    /// receives an empty image of this size first. If the view has no size then either, the image is decoded for the
    /// screen. On macOS, the same happens if the view is in no window.
    ///
    /// If the app sets another image meanwhile, rows and frames do not replace it. The complete image does.
    ///
    /// - Parameters:
    ///   - url: The URL of the image. If it is nil, only the placeholder is shown, and the load fails.
    ///   - loader: The loader, which several views can share.
    ///   - placeholder: The image to show until the first rows arrive.
    ///   - options: The options of the load.
    ///   - viewOptions: How the image is shown.
    ///   - completion: Called once on the main thread: with the complete image after the view shows it, or with an
    ///     error. If another call or `cancelWebP()` replaces the load, or the view is released, with
    ///     `CancellationError`. For an image in memory, it can be called before this method returns.
    public func setWebP(
      _ url: URL?, loader: WebP.ImageLoader, placeholder: WebPPlatformImage? = nil,
      options: WebP.ImageLoader.Options = .init(), viewOptions: WebPViewOptions = .init(),
      completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void = { _ in }
    ) {
      guard let url else { return driver.show(placeholder: placeholder, completion) }
      setWebP(
        WebPSource(url), loader: loader, placeholder: placeholder, options: options, viewOptions: viewOptions,
        completion: completion)
    }

    /// Loads and shows a WebP of a request, or shows data. The other parameters are as in the method for a URL.
    public func setWebP(
      _ source: WebPSource, loader: WebP.ImageLoader, placeholder: WebPPlatformImage? = nil,
      options: WebP.ImageLoader.Options = .init(), viewOptions: WebPViewOptions = .init(),
      completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void = { _ in }
    ) {
      driver.load(source, loader, options, viewOptions, placeholder, completion)
    }

    /// Cancels the load of the view, and ends the playback. The completion receives `CancellationError`. Call this
    /// method in `prepareForReuse()`.
    public func cancelWebP() { existingDriver?.cancel() }

    /// Plays the animation of the current load while the view is visible, also if the settings of the system stop
    /// animations. If its loops are over, it begins again.
    public func playWebP() { driver.setControl(.play) }

    /// Pauses the animation of the current load at the shown frame.
    public func pauseWebP() { driver.setControl(.pause) }

    /// Turns each image of a load into the image that the view shows, such as a template or one with cap insets. Frames
    /// of animations are passed too, unless ``WebPViewOptions/modifiesAnimations`` is false.
    public var webPModifier: (@MainActor (WebPPlatformImage) -> WebPPlatformImage)? {
      get { driver.modifier }
      set { driver.modifier = newValue }
    }

    /// The image that is shown after a failure.
    public var webPFailureImage: WebPPlatformImage? {
      get { driver.failureImage }
      set { driver.failureImage = newValue }
    }
  }
#endif
