import AlamofireImage
import Foundation
import FoundationNetworking
import Kingfisher
import Nuke
import PureWebP
import SDWebImage
import UIKit
import WebPLoading
import WebPPlatform

@testable import AlamofireImageWebP
@testable import KingfisherWebP
@testable import NukeWebP
@testable import SDWebImageWebP

@MainActor let imageView = UIImageView()
let container = ImageContainer(image: UIImage.animatedImage(with: [], duration: 0)!)
@MainActor var configuration = ImagePipeline.Configuration(dataLoader: DataLoader(configuration: .default))

// Examples/Servers compiles the file with its library.
struct AsyncHTTPClientTransport: WebP.Transport {
  func send(_ request: URLRequest, options: WebP.TransportOptions) async throws -> WebP.TransportResponse {
    fatalError()
  }
}

// Declarations that the stubs lack, because no source file uses them.
struct DataLoader {
  static var defaultConfiguration: URLSessionConfiguration { .default }
  let configuration: URLSessionConfiguration
}
extension ImagePipeline {
  struct Configuration {
    let dataLoader: DataLoader
    var isProgressiveDecodingEnabled = false
  }
  @MainActor static var shared = ImagePipeline(configuration: configuration)
  convenience init(configuration: Configuration) { fatalError() }
}
extension ImagePipeline.PreviewPolicy {
  static func `default`(for data: Data) -> Self { .disabled }
}
extension AlamofireImage.ImageDownloader {
  @MainActor static let `default` = AlamofireImage.ImageDownloader()
  static func defaultURLSessionConfiguration() -> URLSessionConfiguration { .default }
  convenience init(configuration: URLSessionConfiguration) { fatalError() }
}
// Kingfisher has a class of the same name.
extension AlamofireImage.ImageDownloader {
  var sessionConfiguration: URLSessionConfiguration {
    get { .default }
    set {}
  }
}
struct KingfisherWrapper {
  @MainActor func setImage(with url: URL?, options: KingfisherOptionsInfo?) {}
}
extension UIImageView { var kf: KingfisherWrapper { KingfisherWrapper() } }
extension CALayer {
  var contents: Any? {
    get { nil }
    set {}
  }
}
final class SDWebImageDownloaderConfig {
  @MainActor static let `default` = SDWebImageDownloaderConfig()
  var sessionConfiguration = URLSessionConfiguration.default
}
