// The declarations of PureWebP that the interface for Objective-C uses. With the real ones, the interface is compiled
// without the attribute @objc.
import Foundation
import UIKit

enum WebP {
  struct ImageInfo { let frameCount: Int }
  static func info(_ data: Data) throws -> ImageInfo { fatalError() }
  final class ImageLoader: Sendable { struct Loaded {} }
}

enum WebPURLProtocol {
  static func register() {}
}

extension URLSessionConfiguration {
  func withWebP() -> URLSessionConfiguration { fatalError() }
}

extension UIImage {
  convenience init(webP data: Data, scale: CGFloat) throws { fatalError() }
  static func animatedImage(webP data: Data, scale: CGFloat) throws -> UIImage { fatalError() }
}

extension UIImageView {
  func setWebP(
    _ url: URL?, loader: WebP.ImageLoader, placeholder: UIImage?,
    completion: @escaping @MainActor (Result<WebP.ImageLoader.Loaded, any Error>) -> Void
  ) {}
  func cancelWebP() {}
}
