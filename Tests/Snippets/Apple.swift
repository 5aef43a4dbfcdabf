import Foundation
import SwiftUI
import UIKit
import WebKit
import WebPLoading
import WebPPlatform
import WebPWebView

@MainActor let imageView = UIImageView()
@MainActor let webView = WKWebView()
@MainActor struct Cell { let photo: UIImageView }
@MainActor let cell = Cell(photo: imageView)
@MainActor let banner = UIImageView()
@MainActor let icon = UIImageView()
@MainActor let arrow = UIImageView()
@MainActor let bubble = UIImageView()
@MainActor let sticker = UIImageView()
@MainActor func showNext() {}
let insets = UIEdgeInsets()
let data = Data()
@MainActor let prefetcher = WebPPrefetcher(loader: loader)
let photos: [(url: URL, title: String)] = []

// Declarations that the stubs lack, because no source file uses them.
class UITableView: UIView {}
extension IndexPath { var row: Int { 0 } }
struct UIEdgeInsets {}
extension UIImage {
  enum RenderingMode { case alwaysTemplate }
  convenience init?(named name: String) { nil }
  func withRenderingMode(_ mode: RenderingMode) -> UIImage { self }
  func imageFlippedForRightToLeftLayoutDirection() -> UIImage { self }
  func resizableImage(withCapInsets insets: UIEdgeInsets) -> UIImage { self }
}
extension WKWebView { var configuration: WKWebViewConfiguration { WKWebViewConfiguration() } }
extension WKWebViewConfiguration { var userContentController: WKUserContentController { WKUserContentController() } }
struct Circle {}
extension Color {
  func opacity(_ opacity: Double) -> Color { self }
}
extension View {
  func scaledToFill() -> some View { self }
  func clipShape(_ shape: Circle) -> some View { self }
}
