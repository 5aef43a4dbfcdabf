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
  let url: URL

  /// - Parameter message: as the script sends it; nil if it is none, or not by http.
  init?(_ message: Any) {
    guard let message = message as? [String: Any], let page = message["page"] as? String,
      let id = message["id"] as? Int, let url = (message["url"] as? String).flatMap({ URL(string: $0) }),
      ["http", "https"].contains(url.scheme?.lowercased() ?? "")
    else { return nil }
    self.page = page
    self.id = id
    self.url = url
  }
}

/// The loads of the page that a view shows. Those of a page that was left are stopped when another one asks, and all of
/// them with the view.
@MainActor
final class PageLoads {
  private let session: InnerSession
  private let options: WebP.ConversionOptions
  private var page: String?
  private var loads: [Int: PageImageLoad] = [:]

  init(_ session: InnerSession, _ options: WebP.ConversionOptions) {
    self.session = session
    self.options = options
  }

  deinit { Self.stop(loads) }

  private nonisolated static func stop(_ loads: [Int: PageImageLoad]) { for load in loads.values { load.stop() } }

  /// - Parameter evaluate: takes the answers, as scripts for the page.
  func start(_ request: PageRequest, _ evaluate: @escaping @MainActor (String) -> Void) {
    if request.page != page {
      Self.stop(loads)
      loads = [:]
      page = request.page
    }
    let load = PageImageLoad(options: options) { [weak self] answer in
      DispatchQueue.main.async {
        guard let self, self.page == request.page else { return }
        if answer.isLast { self.loads[request.id] = nil }
        evaluate(answer.script(for: request))
      }
    }
    loads.updateValue(load, forKey: request.id)?.stop()
    load.start(request.url, session)
  }
}
