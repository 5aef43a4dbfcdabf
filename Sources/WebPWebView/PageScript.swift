import Foundation

/// The script that shows the WebP images of a web view's page. Its sources are the page script of `Wasm`, in
/// `Wasm/polyfill`, and the service that requests images from the app, in `Wasm/bridge`. `Wasm/build-scripts` builds
/// PageScript.js from them.
enum PageScript {
  /// Returns the script.
  ///
  /// - Parameters:
  ///   - handler: the name of the WebKit message handler that receives the requests (`PageRequest`). It answers with
  ///     calls of `PureWebPBridge.answer` (`PageImage.Answer`).
  ///   - fade: the duration of the fade-in, in seconds. At most a day.
  static func source(handler: String, fade: TimeInterval) -> String {
    String(decoding: PackageResources.PageScript_js, as: UTF8.self)
      + "PureWebPBridge.start(\(handler.quotedForScript), \(Int(min(max(0, fade), 86_400) * 1000)));"
  }
}
