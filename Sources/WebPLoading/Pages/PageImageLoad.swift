import Foundation
import PureWebP
import WebPExport

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads a WebP for a page's script. Reports its size as soon as it is known, and finally a data URL of a PNG.
///
/// All work runs on `queue`. `stop` can be called on any thread, so that it can stop a conversion that occupies
/// `queue`.
final class PageImageLoad: UpstreamLoad, @unchecked Sendable {
  /// An answer to the script. A size may precede the last answer, which is a source or a failure.
  enum Answer: Sendable {
    case size(width: Int, height: Int)
    /// The data URL of the PNG.
    case source(String)
    /// The reason why the image cannot be shown.
    case failure(String)
  }

  let queue = DispatchQueue(label: "WebPLoading.PageImageLoad")
  let minimumBytesPerSecond = 256
  private let session: UpstreamSession
  private let options: WebPURLProtocol.Options
  private let tell: @Sendable (Answer) -> Void
  private let conversion: PagePNG
  /// The cache operations of this load. Nil if the options have no cache.
  private var cached: CachedLoad?
  private var response: HTTPURLResponse?
  private var isSizeTold = false
  private var transfer: UpstreamTransfer?
  private let lock = NSLock()
  /// Accessed with the lock held.
  private var isOver = false
  private var isDone: Bool { lock.withLock { isOver } }

  /// - Parameter session: the session for http and https.
  init(
    _ session: UpstreamSession, _ options: WebPURLProtocol.Options, _ tell: @escaping @Sendable (Answer) -> Void
  ) {
    self.session = session
    self.options = options
    conversion = PagePNG(options: options.conversion)
    self.tell = tell
    conversion.converter.check = { [unowned self] _ in try self.check() }
  }

  /// Starts the load.
  ///
  /// - Parameter url: an http, https or data URL. For any other URL, the load fails.
  func start(_ url: URL?) {
    queue.async {
      if self.isDone { return }
      if let url, url.isHTTP {
        self.perform { try self.load(URLRequest(url: url).inner) }
      } else if let url, url.isData {
        self.perform { try self.conversion.append(Data(dataURL: url)) }
        self.didComplete(nil)
      } else {
        self.end(.failure("the script bridge does not load URLs of scheme \(url?.scheme ?? "none")"))
      }
    }
  }

  private func load(_ request: URLRequest) throws {
    var request = request
    cached = options.cache.map { CachedLoad($0, .converted, session.completed(request)) }
    if let entry = try cached?.begin(&request) {
      end(Answer(entry))
    } else {
      transfer = session.start(request, for: self)
    }
  }

  /// Reports the size when it is known. Called regularly during the conversion.
  ///
  /// - Throws: `CancellationError` if the load was stopped.
  private func check() throws {
    if isDone { throw CancellationError() }
    if !isSizeTold, let info = conversion.converter.info {
      isSizeTold = true
      tell(.size(width: info.width, height: info.height))
    }
  }

  /// Stops the load. `queue` sends no answer after this call, except one that it is sending at that moment. `didStop`
  /// is called when all work has ended.
  func stop(_ didStop: @escaping @Sendable () -> Void = {}) {
    lock.withLock { isOver = true }
    queue.async {
      self.cancel()
      didStop()
    }
  }

  private func cancel() {
    transfer?.cancel()
    transfer = nil
  }

  private func end(_ answer: Answer) {
    let wasOver = lock.withLock {
      defer { isOver = true }
      return isOver
    }
    if wasOver { return }
    cancel()
    tell(answer)
  }

  func bodyLimit(for response: URLResponse) -> BodyLimit {
    .image(maximumBytes: options.conversion.limits.maximumBytes)
  }

  func didReceive(_ response: URLResponse) {
    guard let http = response as? HTTPURLResponse else { return }
    self.response = http
    if let entry = cached?.receive(http) {
      end(Answer(entry))
    } else if http.statusCode != 200 {
      end(.failure("status \(http.statusCode)"))
    }
  }

  func didReceive(_ data: Data) { perform { try conversion.append(data) } }

  func didComplete(_ error: (any Error)?) {
    transfer = nil
    perform {
      if let error { throw error }
      let png = try conversion.finish()
      if let response { cached?.keep(png, of: response) }
      end(.source(png.pngDataURL))
    }
  }

  private func perform(_ step: () throws -> Void) {
    if isDone { return }
    do {
      try step()
    } catch {
      let isCausedByImage = (error as? WebP.ConversionError)?.isCausedByImage == true
      if isCausedByImage, let response { cached?.removeOlder(than: response) }
      end(.failure(error.localizedDescription))
    }
  }
}

extension PageImageLoad.Answer {
  /// The answer from the cache, which may also store images of other formats.
  fileprivate init(_ entry: WebP.ImageCache.Entry) {
    self = entry.header.isOriginal ? .failure("not a WebP file") : .source(entry.body.pngDataURL)
  }

  /// A JavaScript call of `PureWebPBridge.answer`.
  func script(for request: PageRequest) -> String {
    // The token is quoted too, because it is text from a page.
    let call = "PureWebPBridge.answer(\(request.page.quotedForScript), \(request.id), "
    return switch self {
    case .size(let width, let height): call + "'size', \(width), \(height))"
    case .source(let url): call + "'source', '\(url)')"
    case .failure(let reason): call + "'failure', \(reason.quotedForScript))"
    }
  }

  var isLast: Bool {
    if case .size = self { false } else { true }
  }
}

extension String {
  /// The text as a JavaScript string literal.
  var quotedForScript: String {
    guard let json = try? JSONEncoder().encode([self]) else { return "''" }
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
