// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The interface for Objective-C. Swift code uses the functions that these methods call.
//
// The names of the methods are their selectors, so that one attribute per extension suffices. Only in Apple's SDKs, the
// module ObjectiveC has a submodule NSObject. Elsewhere, methods with types such as URL cannot have the attribute
// @objc.

import Foundation
import PureWebP
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

#if canImport(ObjectiveC.NSObject)
  @objc
#endif
@available(swift, obsoleted: 1.0)
extension URLSessionConfiguration {
  /// Makes the shared URL session show WebP on systems that do not decode it.
  public static func webp_registerProtocol() { WebPURLProtocol.register(.init()) }

  /// Balances a call of `webp_registerProtocol`.
  public static func webp_unregisterProtocol() { WebPURLProtocol.unregister(.init()) }

  /// Makes the shared URL session show WebP, with options.
  public static func webp_registerProtocol(withOptions options: WebPProtocolOptions) {
    WebPURLProtocol.register(options.swift)
  }

  /// Balances a call of `webp_registerProtocolWithOptions:` with the same options.
  public static func webp_unregisterProtocol(withOptions options: WebPProtocolOptions) {
    WebPURLProtocol.unregister(options.swift)
  }

  /// Returns a copy of the configuration whose sessions load WebP.
  ///
  ///     NSURLSession *session =
  ///       [NSURLSession sessionWithConfiguration:[configuration webp_configuration]];
  public func webp_configuration() -> URLSessionConfiguration { withWebP(.init()) }

  /// Returns a copy of the configuration whose sessions load WebP, with options.
  public func webp_configuration(withOptions options: WebPProtocolOptions) -> URLSessionConfiguration {
    withWebP(options.swift)
  }
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

/// The files and images of the shared loader, for Objective-C.
///
///     [WebPSharedImages prefetchURLs:urls];
#if canImport(ObjectiveC.NSObject)
  @objcMembers
#endif
@MainActor
@available(swift, obsoleted: 1.0)
public final class WebPSharedImages: NSObject {
  private static let prefetcher = WebPPrefetcher(loader: .shared)

  /// Loads files into the cache, with low priority.
  public static func prefetchURLs(_ urls: [URL]) { prefetcher.prefetch(urls) }

  /// Cancels loads of files that have not ended.
  public static func cancelPrefetchingOfURLs(_ urls: [URL]) { prefetcher.cancel(urls) }

  /// Releases the images in memory.
  public static func clearMemory() {
    WebP.ImageLoader.shared.removeDecodedImages()
    sharedCache.removeAllFromMemory()
  }

  /// Removes all files from the initial loader's cache. Returns whether all files were removed.
  public static func clearDisk() -> Bool { (try? sharedCache.removeAll()) != nil }

  /// The size of the files in the initial loader's cache, in bytes.
  public static var diskSize: Int { sharedCache.diskBytes }
}
