import Foundation
import PureWebP
import WebPLoading

/// A request for an image, as `PageScript` sends it.
struct PageRequest: Sendable {
  /// A random token that identifies the page. A view shows several pages in turn, and each page counts its requests
  /// from 1.
  let page: String
  /// The number of the request.
  let id: Int
  /// The URL of the image. Nil if Foundation cannot parse it; the request is then answered with a failure.
  let url: URL?

  /// The maximum length of a token, in bytes. The script's tokens have at most 43. Without a maximum, other scripts of
  /// the page could send tokens that take minutes to compare.
  private static let longestToken = 64

  /// Creates a request from a message of the script. Returns nil if the message is invalid.
  init?(_ message: Any) {
    guard let message = message as? [String: Any], let page = message["page"] as? String,
      page.utf8.count <= Self.longestToken, let id = message["id"] as? Int, let url = message["url"] as? String
    else { return nil }
    self.page = page
    self.id = id
    self.url = URL(string: url)
  }

  /// The length of the URL, which is large if it is a data URL.
  fileprivate var bytes: Int { url?.absoluteString.utf8.count ?? 0 }
}

extension WebPURLProtocol.Options {
  /// Returns the options for loads of pages, which are other parties than the app.
  func forPages(sharesCacheWithApp: Bool) -> Self {
    var options = self
    options.publicPartition = sharesCacheWithApp ? nil : .pages
    return options
  }
}

/// Loads the images of the page that a view shows, a few at a time.
///
/// When another page sends its first request, the loads of the previous page are stopped. They count as running until
/// their work has ended. The view owns this object, so all loads are stopped when the view is released.
@MainActor
final class PageImages {
  private static let maximumRunning = 6
  /// The number of waiting requests from which further requests are refused, and the same for the bytes of their URLs.
  private static let maximumWaiting = 10_000
  private static let maximumWaitingBytes = 64 << 20

  private let upstream: Upstream
  private let options: WebPURLProtocol.Options
  private var page: String?
  /// The running loads. The keys are `begun` at the start of each load, because a page may use a request number twice.
  private(set) var running: [Int: PageImage] = [:]
  /// The number of loads whose `stop` was called and whose work has not ended yet.
  private var stopping = 0
  /// The number of loads that were started.
  private var begun = 0
  private var waiting: [(request: PageRequest, evaluate: @MainActor (String) -> Void)] = []
  private var waitingBytes = 0

  init(_ upstream: Upstream, _ options: WebPURLProtocol.Options) {
    self.upstream = upstream
    self.options = options
  }

  deinit { for load in running.values { load.stop() } }

  /// Starts a load, or appends it to the waiting requests.
  ///
  /// - Parameter evaluate: evaluates a script in the page. Called with each answer.
  func start(_ request: PageRequest, _ evaluate: @escaping @MainActor (String) -> Void) {
    if request.page != page {
      stopAll()
      page = request.page
    }
    guard waiting.count < Self.maximumWaiting, waitingBytes < Self.maximumWaitingBytes else {
      evaluate(PageImage.Answer.failure("too many waiting images").script(for: request))
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
      let load = PageImage(upstream, options) { [weak self] answer in
        DispatchQueue.main.async {
          // The load is missing if the view shows another page by now.
          guard let self, self.running[number] != nil else { return }
          evaluate(answer.script(for: request))
          guard answer.isLast else { return }
          self.running[number] = nil
          self.startNext()
        }
      }
      running[number] = load
      load.start(request.url)
    }
  }
}
