import Foundation
import PureWebP
import WebPExport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads a WebP for a page's script. Reports its size as soon as it is known, and finally a data URL of a PNG.
///
/// `run` is the load from its beginning to its end. It only waits; everything else runs on `queue`, which owns
/// `conversion` and `isSizeReported`.
final class PageImage: @unchecked Sendable {
  /// An answer to the script. A size may precede the last answer, which is a source or a failure.
  enum Answer: Sendable {
    case size(width: Int, height: Int)
    /// The data URL of the PNG.
    case source(String)
    /// The reason why the image cannot be shown.
    case failure(String)
  }

  let queue = DispatchQueue(label: "WebPLoading.PageImage")
  private let upstream: Upstream
  private let options: WebPURLProtocol.Options
  private let report: @Sendable (Answer) -> Void
  private let conversion: PagePNG
  private var isSizeReported = false
  /// Protects the variables. Not held while another object is called.
  private let lock = NSLock()
  private var task: Task<Void, Never>?
  private var isOver = false
  private var isStopped: Bool { lock.withLock { isOver } }

  /// - Parameter upstream: sends http and https requests.
  init(_ upstream: Upstream, _ options: WebPURLProtocol.Options, _ report: @escaping @Sendable (Answer) -> Void) {
    self.upstream = upstream
    self.options = options
    conversion = PagePNG(options: options.conversion)
    self.report = report
    conversion.converter.check = { [unowned self] _ in try self.check() }
  }

  /// Starts the load.
  ///
  /// - Parameter url: an http, https or data URL. For any other URL, the load fails.
  func start(_ url: URL?) {
    let task = Task { await run(url) }
    lock.withLock { self.task = task }
  }

  /// Stops the load, even during a conversion. No answer follows, except one that the load is sending at that moment.
  ///
  /// - Parameter didStop: called when all work has ended.
  func stop(_ didStop: @escaping @Sendable () -> Void = {}) {
    let task = lock.withLock {
      isOver = true
      return self.task
    }
    Task {
      task?.cancel()
      await task?.value
      didStop()
    }
  }

  private func run(_ url: URL?) async {
    let answer: Answer
    do {
      if let url, url.isHTTP {
        answer = try await load(URLRequest(url: url).serverRequestForImage)
      } else if let url, url.isData {
        answer = .source(
          try await queue.run {
            try self.conversion.append(Data(dataURL: url))
            return try self.conversion.finish().pngDataURL
          })
      } else {
        answer = .failure("the script bridge does not load URLs of scheme \(url?.scheme ?? "none")")
      }
    } catch {
      answer = .failure(error.localizedDescription)
    }
    await queue.run { if !self.isStopped { self.report(answer) } }
  }

  private func load(_ request: URLRequest) async throws -> Answer {
    let cached = CacheAccess(
      options.cache, .converted, upstream.completed(request), upstream.partition,
      publicPartition: options.publicPartition)
    let transfer: Transfer
    let body = BodyRules(maximumBytes: options.conversion.limits.maximumBytes)
    switch try await cached.answer(request, body, from: upstream, minimumBytesPerSecond: 256, on: queue) {
    case .entry(let entry): return Answer(entry)
    case .transfer(let answer): transfer = answer
    }
    let head = transfer.response
    guard head.hasFile else { return .failure("status \(head.statusCode)") }
    do {
      while let piece = try await transfer.next() { try await queue.run { try self.conversion.append(piece) } }
      return try await queue.run {
        let png = try self.conversion.finish()
        cached.keep(png, of: head)
        return .source(png.pngDataURL)
      }
    } catch let error as WebP.ConversionError where error.isCausedByImage {
      await queue.run { cached.removeOlder(than: head) }
      throw error
    }
  }

  /// Reports the size when it is known. Called regularly during the conversion.
  ///
  /// - Throws: `CancellationError` if the load was stopped.
  private func check() throws {
    if isStopped { throw CancellationError() }
    if !isSizeReported, let info = conversion.converter.info {
      isSizeReported = true
      report(.size(width: info.width, height: info.height))
    }
  }
}

extension PageImage.Answer {
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
