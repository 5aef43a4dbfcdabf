import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads a WebP for a page's script. Reports its size as soon as it is known, and finally a data URL of a PNG.
///
/// Everything runs on `queue` except `stop`, which can be called anywhere because it ends a running conversion.
final class PageImageLoad: UpstreamLoad, @unchecked Sendable {
  enum Answer: Sendable {
    case size(width: Int, height: Int)
    case source(String)
    case failure(String)
  }

  let queue = DispatchQueue(label: "WebPLoading.PageImageLoad")
  let minimumBytesPerSecond = 256
  private let maximumBytes: Int
  private let tell: @Sendable (Answer) -> Void
  private let converter: WebP.PNGConverter
  private let conversion: PNGDataURL
  private var isSizeTold = false
  private var task: URLSessionTask?
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

  /// - Parameter url: an http, https or data URL. Any other URL fails.
  func start(_ url: URL?, _ session: UpstreamSession) {
    queue.async {
      if self.isDone { return }
      if let url, url.isHTTP {
        self.task = session.start(URLRequest(url: url).inner, for: self)
      } else if let url, url.isData {
        self.perform { try self.conversion.append(Data(dataURL: url)) }
        self.didComplete(nil)
      } else {
        self.end(.failure("the script bridge does not load URLs of scheme \(url?.scheme ?? "none")"))
      }
    }
  }

  /// Called between two pieces of a conversion.
  private func check() throws {
    if isDone { throw CancellationError() }
    if !isSizeTold, let info = converter.info {
      isSizeTold = true
      tell(.size(width: info.width, height: info.height))
    }
  }

  /// Stops the load. No answer is sent after this call. `didStop` is called when the work in progress has ended.
  func stop(_ didStop: @escaping @Sendable () -> Void = {}) {
    lock.withLock { isOver = true }
    queue.async {
      self.cancel()
      didStop()
    }
  }

  private func cancel() {
    task?.cancel()
    task = nil
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
    task = nil
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
  /// A call of the function that `PageScript.bridge` defines.
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
  /// A JavaScript literal.
  fileprivate var quotedForScript: String {
    guard let json = try? JSONEncoder().encode([self]) else { return "''" }
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
