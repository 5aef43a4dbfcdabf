import Foundation
import PureWebP
import SwiftUI
import UIKit
import WebKit
import WebPLoading
import WebPPlatform
import WebPWebView

/// One screen: a progressive photo, an animation, a list, and a web view.
@main
struct GalleryApp: App {
  var body: some Scene {
    WindowGroup { Gallery() }
  }
}

/// The loader of all views. Images without `Cache-Control` are fresh for a week.
@MainActor let loader = WebP.ImageLoader(
  cache: WebP.ImageCache(
    folder: FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first, defaultLifetime: 7 * 86_400))

/// The images at Google's page about WebP.
private let photos = (1...5).compactMap { URL(string: "https://www.gstatic.com/webp/gallery/\($0).webp") }
private let animation = URL(string: "https://www.gstatic.com/webp/animated/1.webp")

struct Gallery: View {
  var body: some View {
    List {
      if let photo = photos.first { ProgressivePhoto(url: photo) }
      if let animation { AnimatedImage(url: animation) }
      ForEach(photos, id: \.self) { PhotoRow(url: $0) }
      Page(html: "<img src=\"\(photos.last?.absoluteString ?? "")\">")
    }
  }
}

/// Rows appear while they arrive, and the placeholder shows the progress.
struct ProgressivePhoto: View {
  let url: URL

  var body: some View {
    WebPImage(url, loader: loader) { phase in
      switch phase {
      case .loading(let progress): ProgressView(value: progress?.fraction)
      case .failure: Image(systemName: "exclamationmark.triangle")
      @unknown default: EmptyView()
      }
    }
  }
}

struct PhotoRow: View {
  let url: URL

  var body: some View {
    WebPImage(url, loader: loader, viewOptions: .init(fade: .init(seconds: 0.5, curve: .easeInOut))) { Color.gray }
      .frame(width: 320, height: 214)
  }
}

/// An animation in a view of UIKit.
struct AnimatedImage: UIViewRepresentable {
  let url: URL

  func makeUIView(context: Context) -> UIImageView {
    let view = UIImageView()
    view.contentMode = .scaleAspectFit
    return view
  }

  func updateUIView(_ view: UIImageView, context: Context) { view.setWebP(url, loader: loader) }
}

/// A page whose images are shown on systems that do not decode WebP.
struct Page: UIViewRepresentable {
  let html: String

  func makeUIView(context: Context) -> WKWebView {
    let view = WKWebView()
    if #unavailable(iOS 14) { WebPScriptBridge().install(in: view.configuration.userContentController) }
    return view
  }

  func updateUIView(_ view: WKWebView, context: Context) { view.loadHTMLString(html, baseURL: nil) }
}
