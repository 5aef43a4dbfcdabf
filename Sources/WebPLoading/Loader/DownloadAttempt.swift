import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Forwards the events of one request to its download. After the download has repeated the request, further events of
/// the earlier request are ignored.
final class DownloadAttempt: UpstreamLoad {
  private let download: ImageDownload
  private let number: Int

  init(_ download: ImageDownload, number: Int) {
    self.download = download
    self.number = number
  }

  var queue: DispatchQueue { download.queue }
  var minimumBytesPerSecond: Int { download.minimumBytesPerSecond }

  func bodyLimit(for response: URLResponse) -> BodyLimit { download.bodyLimit(for: response) }

  func didReceive(_ response: URLResponse) {
    if isCurrent { download.didReceive(response) }
  }

  func didReceive(_ data: Data) {
    if isCurrent { download.didReceive(data) }
  }

  func didComplete(_ error: (any Error)?) {
    if isCurrent { download.didComplete(error) }
  }

  private var isCurrent: Bool { download.retryCount == number }
}
