import Foundation
import FoundationNetworking
import LoadingTestSupport
import PureWebP
import Testing
import WebKit
import WebPLoading
import WebPWebView

extension UIKitTests {
  /// Proves that web views are served by their rules, which the double enforces.
  @MainActor @Suite struct WebViewTests {
    private let view = WKWebView()
    private let screen = Screen()
    /// An address at which no server listens.
    private let request = URLRequest(url: URL(string: "stwebp-http://127.0.0.1:1/image.webp")!)

    @Test func failuresAreReportedOnce() async throws {
      let handler = WebPSchemeHandler(configuration: .ephemeral)
      handler.install(in: view.configuration)
      let task = try #require(view.start(request))
      await screen.wait { task.hasEnded }
      #expect(task.error != nil && task.response == nil)
      view.stop(task)  // has no effect
    }

    @Test func stoppedTasksReceiveNothing() async throws {
      let handler = WebPSchemeHandler(configuration: .ephemeral)
      handler.install(in: view.configuration)
      let stopped = try #require(view.start(request))
      view.stop(stopped)
      let next = try #require(view.start(request))
      await screen.wait { next.hasEnded }
      #expect(!stopped.hasEnded && stopped.isStopped)
    }

    /// The requests of an app's session, of a scheme handler and of a bridge for one image.
    @Test(arguments: [(false, 2), (true, 1)])
    func pagesShareTheImagesOfTheAppOnRequest(shares: Bool, requests: Int) async throws {
      let server = ScriptedTransport(
        .head(200, ["Cache-Control": "max-age=600"]), .piece(try Data(contentsOf: UIKitTests.still)))
      let options = WebPURLProtocol.Options(cache: WebP.ImageCache(folder: nil))
      let session = URLSession(configuration: .ephemeral.withWebP(options, transport: server))
      _ = try await session.data(from: #require(URL(string: "http://a/b.webp")))
      let handler = WebPSchemeHandler(
        configuration: .ephemeral, options: options, transport: server, sharesCacheWithApp: shares)
      handler.install(in: view.configuration)
      let prefixed = try #require(URL(string: "stwebp-http://a/b.webp"))
      let task = try #require(view.start(URLRequest(url: prefixed)))
      await screen.wait { task.hasEnded }
      let controller = view.configuration.userContentController
      WebPScriptBridge(options: options, transport: server, sharesCacheWithApp: shares).install(in: controller)
      let message: [String: Any] = ["page": "1", "id": 1, "url": "http://a/b.webp"]
      controller.post(message, name: WebPScriptBridge.handlerName, from: view)
      await screen.wait { view.scripts.contains { $0.contains("'source'") } }
      #expect(task.error == nil && server.requests.count == requests)
    }

    @Test func bridgesAreInstalledAndRemoved() {
      let controller = view.configuration.userContentController
      let other = WKUserScript(source: "other", injectionTime: .atDocumentEnd, forMainFrameOnly: true)
      controller.addUserScript(other)
      let bridge = WebPScriptBridge()
      bridge.install(in: controller)
      #expect(controller.userScripts.count == 2)
      // Messages of other frames, and other messages, have no effect.
      controller.post("nonsense", name: WebPScriptBridge.handlerName, from: view)
      controller.post("nonsense", name: WebPScriptBridge.handlerName, from: view, isMainFrame: false)
      bridge.uninstall(from: controller)
      #expect(controller.userScripts.map(\.source) == ["other"] && view.scripts.isEmpty)
      bridge.install(in: controller)  // traps if the handler was not removed
    }
  }
}
