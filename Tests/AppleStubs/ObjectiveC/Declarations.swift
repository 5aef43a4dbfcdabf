// The declarations of PureWebP that the interface for Objective-C uses. With the real ones, the interface is compiled
// without the attribute @objc.
import Foundation
import UIKit
import WebKit

public enum WebP {
  static func writePNG(of bytes: Data, to sink: ([UInt8]) throws -> Void) throws -> Int { fatalError() }
  final class ImageCache: Sendable {
    let diskBytes = 0
    init(folder: URL?, maximumAge: Double, defaultLifetime: Double) {}
    func removeAll() throws {}
    func removeAllFromMemory() {}
  }
  public final class ImageLoader: Sendable {
    struct Loaded {
      enum Source { case memory, cache, network }
      let source: Source
    }
    struct ByteProgress: Sendable {
      let receivedBytes: Int
      let expectedBytes: Int?
    }
    struct Options {
      enum Priority: Int { case low, normal, high }
      var onProgress: (@Sendable (ByteProgress) -> Void)?
      init(
        retriesFailed: Bool, priority: Priority, keepsInMemoryOnly: Bool, refreshesCached: Bool, isProgressive: Bool,
        handlesCookies: Bool, continuesInBackground: Bool, allowsInvalidCertificates: Bool
      ) {}
    }
    init(cache: ImageCache?) {}
    func removeDecodedImages() {}
  }
}

struct WebPViewOptions {
  struct Fade {
    enum Curve: Int { case linear, easeIn, easeOut, easeInOut }
    init(seconds: Double, curve: Curve) {}
  }
  struct Playback { init(loops: Int?, ignoresLowPowerMode: Bool) {} }
  enum Scale {
    case number(Double)
    case ofName, ofScreen
    func pixelsPerPoint(_ url: URL?) -> Double? { nil }
  }
  let scale = Scale.ofName
  init(
    scalesToView: Bool, showsImage: Bool, delaysPlaceholder: Bool, fade: Fade, scale: Scale, playback: Playback,
    modifiesAnimations: Bool
  ) {}
}

@MainActor final class WebPPrefetcher {
  init(loader: WebP.ImageLoader) {}
  func prefetch(_ urls: [URL]) {}
  func cancel(_ urls: [URL]) {}
}

struct CGImage {}

struct WebPSource {
  let url: URL?
  init(_ url: URL) { fatalError() }
  init(_ request: URLRequest) { fatalError() }
  init(_ data: Data) { fatalError() }
}

enum ImagePresenter<Frame> {
  typealias Completion = @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void
  struct Conversion {
    static var drawable: Self { fatalError() }
    let loaded: (WebP.ImageLoader.Loaded) -> CGImage?
  }
}

@MainActor struct Driver {
  func show(placeholder: UIImage?, _ completion: ImagePresenter<CGImage>.Completion) {}
  func load(
    _ source: WebPSource, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options,
    _ viewOptions: WebPViewOptions, _ placeholder: UIImage?, _ completion: @escaping ImagePresenter<CGImage>.Completion
  ) {}
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

public typealias WebPPlatformImage = UIImage
public typealias WebPPlatformImageView = UIImageView

extension UIImage {
  static func decoded(_ data: Data, scale: CGFloat) throws -> UIImage { fatalError() }
}

extension UIImageView {
  var driver: Driver { Driver() }
  var image: UIImage? { nil }
  var pixelsPerPoint: CGFloat? { nil }
  func makeImage(_ image: CGImage, pixelsPerPoint: CGFloat) -> UIImage { fatalError() }
  func cancelWebP() {}
  func playWebP() {}
  func pauseWebP() {}
  var webPModifier: (@MainActor (UIImage) -> UIImage)? {
    get { nil }
    set {}
  }
  var webPFailureImage: UIImage? {
    get { nil }
    set {}
  }
}
