import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What `PageScript.bridge` asks for.
struct PageRequest: Sendable {
  /// Which page asks, by a token that its script has drawn: a view shows one page after another, and each counts from 1.
  let page: String
  let id: Int
  /// Nil if it is none by Foundation's rules: that gets an answer as well, since the script waits for one.
  let url: URL?

  /// Of a page's token, in bytes. Those that the script draws have 43; other scripts of the page may send what takes
  /// minutes to compare.
  private static let longestToken = 64

  /// - Parameter message: as the script sends it; nil if it is none.
  init?(_ message: Any) {
    guard let message = message as? [String: Any], let page = message["page"] as? String,
      page.utf8.count <= Self.longestToken, let id = message["id"] as? Int, let url = message["url"] as? String
    else { return nil }
    self.page = page
    self.id = id
    self.url = URL(string: url)
  }

  /// Of the URL, in which a picture may be.
  fileprivate var bytes: Int { url?.absoluteString.utf8.count ?? 0 }
}

/// The loads of the page that a view shows, a few at once. Those of a page that was left are stopped when another one
/// asks, and have their places until their work has stopped. All are stopped with the view, which holds them.
@MainActor
final class PageLoads {
  private static let maximumRunning = 6
  /// None waits any more once so many do, or so many bytes of URLs.
  private static let maximumWaiting = 10_000
  private static let maximumWaitingBytes = 64 << 20

  private let session: UpstreamSession
  private let options: WebP.ConversionOptions
  private var page: String?
  /// By numbers of their own: a page may use one of its numbers twice.
  private(set) var running: [Int: PageImageLoad] = [:]
  /// How many were told to stop, and have not yet.
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
          // Else its page was left.
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
