import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The source of the image of a view.
public struct WebPSource: Hashable, Sendable {
  /// The request. For data, a request that is never sent.
  let request: URLRequest
  private let data: Data?

  /// A request, such as one with header fields.
  public init(_ request: URLRequest) { (self.request, data) = (request, nil) }

  /// A URL.
  public init(_ url: URL) { self.init(URLRequest(url: url)) }

  /// A complete file.
  public init(_ data: Data) {
    request = URLRequest(url: URL(fileURLWithPath: "/data/\(UUID().uuidString)"))
    self.data = data
  }

  /// The URL of the request. Nil for data.
  var url: URL? { data == nil ? request.url : nil }
  var file: WebP.ImageLoader.File? { data.map { .init($0, .cache) } }
  /// All data, or the request.
  private var identity: AnyHashable { data.map(AnyHashable.init) ?? AnyHashable(request) }

  public static func == (a: Self, b: Self) -> Bool { a.identity == b.identity }
  public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}

/// The load of a view.
struct ImageLoad {
  let source: WebPSource
  let loader: WebP.ImageLoader
  let options: WebP.ImageLoader.Options
  let viewOptions: WebPViewOptions
  /// Indicates whether the image is decoded for the size in which it is shown. Options with a size of their own are not
  /// changed.
  let scalesToView: Bool

  init(
    _ source: WebPSource, _ loader: WebP.ImageLoader, _ options: WebP.ImageLoader.Options,
    _ viewOptions: WebPViewOptions, isScaled: Bool = true
  ) {
    var options = options
    options.decoding.isUpright = true
    if viewOptions.showsImage { options.decoding.format = .bgraPremultiplied } else { options.isProgressive = false }
    self.source = source
    self.loader = loader
    self.options = options
    self.viewOptions = viewOptions
    scalesToView = isScaled && viewOptions.scalesToView && viewOptions.showsImage && options.decoding.size == nil
  }

  /// Returns whether another load has the same result, so that it can continue this one.
  func hasSamePixels(as other: ImageLoad) -> Bool {
    func pixels(_ load: ImageLoad) -> [AnyHashable?] {
      let options = load.options
      return [
        load.source, ObjectIdentifier(load.loader), load.scalesToView, load.viewOptions.showsImage, options.decoding,
        options.transform?.name, options.handlesCookies, options.allowsInvalidCertificates, options.refreshesCached,
      ]
    }
    return pixels(self) == pixels(other)
  }
}

/// Reports the newest progress of a load to the main thread, once per turn.
final class ProgressRelay: @unchecked Sendable {
  typealias Progress = WebP.ImageLoader.ByteProgress

  /// Protects `newest`.
  private let lock = NSLock()
  /// The progress that the main thread has not received.
  private var newest: Progress?

  /// Called on any thread.
  func report(_ progress: Progress, to receiver: @escaping @MainActor @Sendable (Progress) -> Void) {
    let isScheduled = lock.withLock {
      defer { newest = progress }
      return newest != nil
    }
    if !isScheduled { Task { @MainActor in if let progress = self.take() { receiver(progress) } } }
  }

  private func take() -> Progress? {
    lock.withLock {
      defer { newest = nil }
      return newest
    }
  }
}
