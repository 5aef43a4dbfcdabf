import Foundation
import PureWebP
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads images through a cache repeatedly until the process is killed.
///
///     CacheWriter FOLDER URL...
@main
struct CacheWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    var options = WebPURLProtocol.Options()
    options.cache = WebP.ImageCache(folder: URL(fileURLWithPath: arguments.first!), maximumMemoryBytes: 0)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 900  // Other tests may delay a connection by minutes.
    let session = URLSession(configuration: configuration.withWebP(options))
    while true {
      for url in arguments.dropFirst() { _ = try await session.data(from: URL(string: url)!) }
    }
  }
}
