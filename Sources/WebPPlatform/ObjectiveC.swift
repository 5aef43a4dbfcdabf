// The interface for Objective-C. Swift code uses the functions that these methods call.
//
// Only in Apple's SDKs, the module ObjectiveC has a submodule NSObject. Elsewhere, methods with types such as URL
// cannot have the attribute @objc.

import Foundation
import PureWebP
import WebPExport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The options of the URL protocol, for Objective-C.
///
///     WebPProtocolOptions *options = [WebPProtocolOptions new];
///     options.cachesOtherImages = YES;
///     [NSURLSessionConfiguration webp_registerProtocolWithOptions:options];
#if canImport(ObjectiveC.NSObject)
  @objcMembers
#endif
public final class WebPProtocolOptions: NSObject {
  /// Indicates whether `http` and `https` URLs whose path ends in `.webp` are claimed.
  public var claimsWebPPaths = true
  /// Indicates whether every `http` and `https` URL is claimed.
  public var claimsEveryURL = false
  /// Indicates whether converted images are stored in the cache of the shared loader.
  public var cachesImages = false
  /// Indicates whether PNG, JPEG and GIF images are stored, too.
  public var cachesOtherImages = false

  fileprivate var swift: WebPURLProtocol.Options {
    .init(
      claimsWebPPaths: claimsWebPPaths, claimsEveryURL: claimsEveryURL,
      cache: cachesImages || cachesOtherImages ? sharedCache : nil, cachesOtherImages: cachesOtherImages)
  }
}

extension URLSessionConfiguration {
  /// Makes the shared URL session show WebP on systems that do not decode it.
  ///
  ///     [NSURLSessionConfiguration webp_registerProtocol];
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_registerProtocol)
  #endif
  @available(swift, obsoleted: 1.0)
  public static func registerWebPProtocol() { WebPURLProtocol.register(.init()) }

  /// Balances a call of `webp_registerProtocol`.
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_unregisterProtocol)
  #endif
  @available(swift, obsoleted: 1.0)
  public static func unregisterWebPProtocol() { WebPURLProtocol.unregister(.init()) }

  /// Makes the shared URL session show WebP, with options.
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_registerProtocolWithOptions:)
  #endif
  @available(swift, obsoleted: 1.0)
  public static func registerWebPProtocol(options: WebPProtocolOptions) { WebPURLProtocol.register(options.swift) }

  /// Balances a call of `webp_registerProtocolWithOptions:` with the same options.
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_unregisterProtocolWithOptions:)
  #endif
  @available(swift, obsoleted: 1.0)
  public static func unregisterWebPProtocol(options: WebPProtocolOptions) { WebPURLProtocol.unregister(options.swift) }

  /// Returns a copy of the configuration whose sessions load WebP.
  ///
  ///     NSURLSession *session =
  ///       [NSURLSession sessionWithConfiguration:[configuration webp_configuration]];
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_configuration)
  #endif
  @available(swift, obsoleted: 1.0)
  public func webPConfiguration() -> URLSessionConfiguration { withWebP(.init()) }

  /// Returns a copy of the configuration whose sessions load WebP, with options.
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_configurationWithOptions:)
  #endif
  @available(swift, obsoleted: 1.0)
  public func webPConfiguration(options: WebPProtocolOptions) -> URLSessionConfiguration { withWebP(options.swift) }
}

extension NSData {
  /// Converts a WebP to a PNG, or to an animated PNG.
  ///
  ///     NSData *png = [webp webp_PNGData];
  ///
  /// - Returns: Nil if the data cannot be converted.
  #if canImport(ObjectiveC.NSObject)
    @objc(webp_PNGData)
  #endif
  @available(swift, obsoleted: 1.0)
  public func webPPNGData() -> Data? { pngData(ofWebP: self as Data) }
}

/// Converts a WebP to a PNG. Returns nil if it cannot be converted.
func pngData(ofWebP bytes: Data) -> Data? {
  var png = Data()
  return (try? WebP.writePNG(of: bytes) { png.append(contentsOf: $0) }) == nil ? nil : png
}

/// The cache of the shared loader. Images without `Cache-Control` are fresh for a week.
private let sharedCache: WebP.ImageCache = {
  let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
  let week = 7.0 * 86_400
  return WebP.ImageCache(
    folder: caches?.appendingPathComponent("PureWebP", isDirectory: true), maximumAge: week, defaultLifetime: week)
}()

extension WebP.ImageLoader {
  /// The loader of image views that are controlled from Objective-C. Can be set before the first image is loaded.
  ///
  /// The initial loader stores files in the app's folder for caches, for at most a week. An image without
  /// `Cache-Control` is fresh for a week.
  @MainActor public static var shared = WebP.ImageLoader(cache: sharedCache)
}

#if canImport(UIKit) && !os(watchOS)
  import UIKit

  extension UIImage {
    /// Decodes a WebP, and orients it as its metadata specifies. An animation has all its frames.
    ///
    ///     UIImage *image = [UIImage webp_imageWithData:data scale:2];
    ///
    /// - Returns: Nil if the data cannot be decoded.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_imageWithData:scale:)
    #endif
    @available(swift, obsoleted: 1.0)
    public static func webPImage(data: Data, scale: Double) -> UIImage? {
      let isAnimated = (try? WebP.info(data).frameCount > 1) ?? false
      return isAnimated
        ? try? animatedImage(webP: data, scale: CGFloat(scale)) : try? UIImage(webP: data, scale: CGFloat(scale))
    }
  }

  /// The pacing of a transition, for Objective-C.
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  public enum WebPFadeCurve: Int, Sendable { case linear, easeIn, easeOut, easeInOut }

  /// The priority of a download, for Objective-C.
  #if canImport(ObjectiveC.NSObject)
    @objc
  #endif
  public enum WebPPriority: Int, Sendable { case low, normal, high }

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
    /// The priority of the download.
    public var priority = WebPPriority.normal
    /// Indicates whether the file must not be stored on disk.
    public var keepsInMemoryOnly = false
    /// Indicates whether to ask the server even if the image in the cache is fresh.
    public var refreshesCached = false

    fileprivate var viewOptions: WebPViewOptions {
      let curve: WebPViewOptions.Fade.Curve =
        switch fadeCurve {
        case .linear: .linear
        case .easeIn: .easeIn
        case .easeOut: .easeOut
        case .easeInOut: .easeInOut
        }
      return .init(delaysPlaceholder: delaysPlaceholder, fade: .init(seconds: fadeSeconds, curve: curve))
    }

    fileprivate var loadOptions: WebP.ImageLoader.Options {
      var options = WebP.ImageLoader.Options()
      options.priority = .init(rawValue: priority.rawValue) ?? .normal
      options.keepsInMemoryOnly = keepsInMemoryOnly
      options.refreshesCached = refreshesCached
      return options
    }
  }

  extension UIImageView {
    /// Loads and shows a WebP, with `WebP.ImageLoader.shared`.
    ///
    ///     [cell.photo webp_setImageWithURL:url placeholder:gray completion:^(NSError *error) { }];
    ///
    /// - Parameter completion: Called with nil when the image is complete, or with an error. Not called after
    ///   cancellation.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_setImageWithURL:placeholder:completion:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func setWebPImage(
      url: URL?, placeholder: UIImage?, completion: (@MainActor ((any Error)?) -> Void)?
    ) {
      load(url, placeholder, WebPImageOptions(), completion)
    }

    /// Loads and shows a WebP, with `WebP.ImageLoader.shared` and options.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_setImageWithURL:placeholder:options:completion:)
    #endif
    @available(swift, obsoleted: 1.0)
    public func setWebPImage(
      url: URL?, placeholder: UIImage?, options: WebPImageOptions, completion: (@MainActor ((any Error)?) -> Void)?
    ) {
      load(url, placeholder, options, completion)
    }

    func load(
      _ url: URL?, _ placeholder: UIImage?, _ options: WebPImageOptions,
      _ completion: (@MainActor ((any Error)?) -> Void)?
    ) {
      setWebP(
        url, loader: .shared, placeholder: placeholder, options: options.loadOptions, viewOptions: options.viewOptions
      ) { result in
        switch result {
        case .success: completion?(nil)
        case .failure(let error): completion?(error)
        }
      }
    }

    /// Cancels the load of the view, and ends the playback. Call it in `prepareForReuse`.
    #if canImport(ObjectiveC.NSObject)
      @objc(webp_cancelImage)
    #endif
    @available(swift, obsoleted: 1.0)
    public func cancelWebPImage() { cancelWebP() }
  }
#endif
