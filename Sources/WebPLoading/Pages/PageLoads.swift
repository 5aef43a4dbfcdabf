import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request of `PageScript.bridge`.
struct PageRequest: Sendable {
  /// A random token of the page's script. A view shows several pages in turn, and each numbers its requests from 1.
  let page: String
  let id: Int
  /// Nil if Foundation cannot parse it. Such a request is answered too, because the script waits for an answer.
  let url: URL?

  /// The maximum length of a token, in bytes. The script's tokens have 43. Other scripts of the page might send tokens that
  /// take minutes to compare.
  private static let longestToken = 64

  /// - Parameter message: the script's message. The result is nil if it is no valid request.
  init?(_ message: Any) {
    guard let message = message as? [String: Any], let page = message["page"] as? String,
      page.utf8.count <= Self.longestToken, let id = message["id"] as? Int, let url = message["url"] as? String
    else { return nil }
    self.page = page
    self.id = id
    self.url = URL(string: url)
  }

  /// The length of the URL, which may contain an image.
  fileprivate var bytes: Int { url?.absoluteString.utf8.count ?? 0 }
}

/// Runs the loads of the page that a view shows, a few at a time. The loads of the previous page are stopped when another
/// page asks, and count until their work has stopped. The view retains this object, so that all loads end with it.
@MainActor
final class PageLoads {
  private static let maximumRunning = 6
  /// The number of waiting requests, and of bytes in their URLs, from which further requests are refused.
  private static let maximumWaiting = 10_000
  private static let maximumWaitingBytes = 64 << 20

  private let session: UpstreamSession
  private let options: WebP.ConversionOptions
  private var page: String?
  /// The running loads, by internal numbers, because a page may use a number twice.
  private(set) var running: [Int: PageImageLoad] = [:]
  /// The number of loads that were asked to stop and have not stopped yet.
  private var stopping = 0
  private var begun = 0
  private var waiting: [(request: PageRequest, evaluate: @MainActor (String) -> Void)] = []
  private var waitingBytes = 0

  init(_ session: UpstreamSession, _ options: WebP.ConversionOptions) {
    self.session = session
    self.options = options
  }

  deinit { for load in running.values { load.stop() } }

  /// - Parameter evaluate: takes the answers, as scripts for the page.
  func start(_ request: PageRequest, _ evaluate: @escaping @MainActor (String) -> Void) {
    if request.page != page {
      stopAll()
      page = request.page
    }
    guard waiting.count < Self.maximumWaiting, waitingBytes < Self.maximumWaitingBytes else {
      evaluate(PageImageLoad.Answer.failure("too many images wait").script(for: request))
      return
    }
    waiting.append((request, evaluate))
    waitingBytes += request.bytes
    startNext()
  }

  private func stopAll() {
    waiting = []
    waitingBytes = 0
    stopping += running.count
    for load in running.values {
      load.stop { [weak self] in
        DispatchQueue.main.async {
          self?.stopping -= 1
          self?.startNext()
        }
      }
    }
    running = [:]
  }

  private func startNext() {
    while running.count + stopping < Self.maximumRunning, !waiting.isEmpty {
      let (request, evaluate) = waiting.removeFirst()
      waitingBytes -= request.bytes
      begun += 1
      let number = begun
      let load = PageImageLoad(options: options) { [weak self] answer in
        DispatchQueue.main.async {
          // Otherwise the page was replaced by another.
          guard let self, self.running[number] != nil else { return }
          evaluate(answer.script(for: request))
          guard answer.isLast else { return }
          self.running[number] = nil
          self.startNext()
        }
      }
      running[number] = load
      load.start(request.url, session)
    }
  }
}
