// The declarations of PureWebP that the interface for Objective-C uses. With the real ones, the interface is compiled
// without the attribute @objc.
import Foundation
import UIKit
import WebKit

public enum WebP {
  struct ImageInfo { let frameCount: Int }
  static func info(_ data: Data) throws -> ImageInfo { fatalError() }
  static func writePNG(of bytes: Data, to sink: ([UInt8]) throws -> Void) throws -> Int { fatalError() }
  final class ImageCache: Sendable {
    init(folder: URL?, maximumAge: Double, defaultLifetime: Double) {}
  }
  public final class ImageLoader: Sendable {
    struct Loaded {}
    struct Options {
      enum Priority: Int { case low, normal, high }
      var priority = Priority.normal
      var keepsInMemoryOnly = false
      var refreshesCached = false
    }
    init(cache: ImageCache?) {}
  }
}

struct WebPViewOptions {
  struct Fade {
    enum Curve { case linear, easeIn, easeOut, easeInOut }
    init(seconds: Double, curve: Curve) {}
  }
  init(delaysPlaceholder: Bool, fade: Fade) {}
}

enum WebPURLProtocol {
  struct Options {
    init(
      claimsWebPPaths: Bool = true, claimsEveryURL: Bool = false, cache: WebP.ImageCache? = nil,
      cachesOtherImages: Bool = false
    ) {}
  }
  static func register(_ options: Options) {}
  static func unregister(_ options: Options) {}
}

extension URLSessionConfiguration {
  func withWebP(_ options: WebPURLProtocol.Options) -> URLSessionConfiguration { fatalError() }
}

@MainActor @objc public final class WebPScriptBridge: NSObject {
  func install(in controller: WKUserContentController) {}
  func uninstall(from controller: WKUserContentController) {}
}

@MainActor @objc public final class WebPSchemeHandler: NSObject {
  func install(in configuration: WKWebViewConfiguration) {}
}

extension UIImage {
  convenience init(webP data: Data, scale: CGFloat) throws { fatalError() }
  static func animatedImage(webP data: Data, scale: CGFloat) throws -> UIImage { fatalError() }
}

extension UIImageView {
  func setWebP(
    _ url: URL?, loader: WebP.ImageLoader, placeholder: UIImage?, options: WebP.ImageLoader.Options,
    viewOptions: WebPViewOptions, completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void
  ) {}
  func cancelWebP() {}
}
