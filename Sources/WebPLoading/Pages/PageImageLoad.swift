import Foundation
import PureWebP

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
  private let maximumBytes: Int
  private let tell: @Sendable (Answer) -> Void
  private let converter: WebP.PNGConverter
  private let conversion: PNGDataURL
  private var isSizeTold = false
  private var transfer: UpstreamTransfer?
  private let lock = NSLock()
  /// Accessed with the lock held.
  private var isOver = false
  private var isDone: Bool { lock.withLock { isOver } }

  init(options: WebP.ConversionOptions, _ tell: @escaping @Sendable (Answer) -> Void) {
    maximumBytes = options.limits.maximumBytes
    converter = WebP.PNGConverter(options: options)
    conversion = PNGDataURL(converter)
    self.tell = tell
    converter.check = { [unowned self] _ in try self.check() }
  }

  /// Starts the load.
  ///
  /// - Parameters:
  ///   - url: an http, https or data URL. For any other URL, the load fails.
  ///   - session: the session for http and https.
  func start(_ url: URL?, _ session: UpstreamSession) {
    queue.async {
      if self.isDone { return }
      if let url, url.isHTTP {
        self.transfer = session.start(URLRequest(url: url).inner, for: self)
      } else if let url, url.isData {
        self.perform { try self.conversion.append(Data(dataURL: url)) }
        self.didComplete(nil)
      } else {
        self.end(.failure("the script bridge does not load URLs of scheme \(url?.scheme ?? "none")"))
      }
    }
  }

  /// Reports the size when it is known. Called regularly during the conversion.
  ///
  /// - Throws: `CancellationError` if the load was stopped.
  private func check() throws {
    if isDone { throw CancellationError() }
    if !isSizeTold, let info = converter.info {
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

  func bodyLimit(for response: URLResponse) -> BodyLimit { .image(maximumBytes: maximumBytes) }

  func didReceive(_ response: URLResponse) {
    let status = (response as? HTTPURLResponse)?.statusCode
    if let status, status != 200 { end(.failure("status \(status)")) }
  }

  func didReceive(_ data: Data) { perform { try conversion.append(data) } }

  func didComplete(_ error: (any Error)?) {
    transfer = nil
    perform {
      if let error { throw error }
      end(.source(try conversion.finish()))
    }
  }

  private func perform(_ step: () throws -> Void) {
    if isDone { return }
    do { try step() } catch { end(.failure(error.localizedDescription)) }
  }
}

extension PageImageLoad.Answer {
  /// A JavaScript call of `PureWebP.answer`, which `PageScript.bridge` defines.
  func script(for request: PageRequest) -> String {
    // The token is quoted too, because it is text from a page.
    let call = "PureWebP.answer(\(request.page.quotedForScript), \(request.id), "
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
  fileprivate var quotedForScript: String {
    guard let json = try? JSONEncoder().encode([self]) else { return "''" }
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
