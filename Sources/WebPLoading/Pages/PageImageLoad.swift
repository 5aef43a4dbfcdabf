import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads a WebP for a page's script: tells its size as soon as that is known, and at the end a data URL of a PNG.
///
/// All on `queue`, `stop` but from anywhere: it does not wait for a conversion, which is what it is to end.
final class PageImageLoad: InnerLoad, @unchecked Sendable {
  enum Answer: Sendable {
    case size(width: Int, height: Int)
    case source(String)
    case failure(String)
  }

  let queue = DispatchQueue(label: "WebPLoading.PageImageLoad")
  private let tell: @Sendable (Answer) -> Void
  private let converter: WebP.PNGConverter
  private var isSizeTold = false
  private var png = Data()
  private var task: URLSessionTask?
  private let lock = NSLock()
  /// Touched with the lock held.
  private var isOver = false
  private var isDone: Bool { lock.withLock { isOver } }

  init(options: WebP.ConversionOptions, _ tell: @escaping @Sendable (Answer) -> Void) {
    converter = WebP.PNGConverter(options: options)
    self.tell = tell
    converter.isCancelled = { [unowned self] in isDone }
  }

  /// - Parameter url: by http or https, or a data URL; for any other, there is a failure.
  func start(_ url: URL?, _ session: InnerSession) {
    queue.async {
      if self.isDone { return }
      if let url, url.isHTTP {
        self.task = session.start(WebPURLProtocol.Options().innerRequest(for: URLRequest(url: url)), for: self)
      } else if let url, url.isData {
        self.convert(url)
      } else {
        self.end(.failure("the script bridge does not load URLs of scheme \(url?.scheme ?? "none")"))
      }
    }
  }

  private func convert(_ dataURL: URL) {
    do {
      // In pieces, as by http: between two of them a conversion may end.
      var rest = try Data(dataURL: dataURL)
      while !rest.isEmpty {
        didReceive(rest.prefix(1 << 14))
        rest = rest.dropFirst(1 << 14)
      }
      didComplete(nil)
    } catch {
      end(.failure(error.localizedDescription))
    }
  }

  func stop() {
    lock.withLock { isOver = true }
    queue.async { self.cancel() }
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

  func didReceive(_ response: URLResponse) {
    let status = (response as? HTTPURLResponse)?.statusCode
    if let status, status != 200 { end(.failure("status \(status)")) }
  }

  func didReceive(_ data: Data) {
    if isDone { return }
    do {
      png += try converter.append(data)
      if !isSizeTold, let info = converter.info {
        isSizeTold = true
        tell(.size(width: info.width, height: info.height))
      }
    } catch {
      end(.failure(error.description))
    }
  }

  func didComplete(_ error: (any Error)?) {
    if isDone { return }
    if let error {
      end(.failure(error.localizedDescription))
      return
    }
    do {
      png += try converter.finish()
      end(.source("data:image/png;base64," + png.base64EncodedString()))
    } catch {
      end(.failure(error.description))
    }
  }
}

extension PageImageLoad.Answer {
  /// As a call of the function that `PageScript.bridge` defines.
  func script(for request: PageRequest) -> String {
    // The page's token is quoted as well: it is the text of a page that may have been left for another.
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
  /// As a literal of JavaScript's.
  fileprivate var quotedForScript: String {
    guard let json = try? JSONEncoder().encode([self]) else { return "''" }
    return String(String(decoding: json, as: UTF8.self).dropFirst().dropLast())
  }
}
