import Foundation
import PureWebP
import TestSupport
import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads an image through a cache repeatedly, and kills itself the given number of microseconds after the first load.
///
///     CacheWriter FOLDER URL MICROSECONDS
@main
struct CacheWriter {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let url = URL(string: arguments[2])!
    let delay = UInt32(arguments[3])!
    let options = WebPURLProtocol.Options(
      cache: WebP.ImageCache(folder: URL(fileURLWithPath: arguments[1]), maximumMemoryBytes: 0))
    let session = URLSession(configuration: .patient.withWebP(options))
    _ = try await session.data(from: url)
    Thread.detachNewThread {
      usleep(delay)
      kill(getpid(), SIGKILL)
    }
    while true { _ = try await session.data(from: url) }
  }
}
