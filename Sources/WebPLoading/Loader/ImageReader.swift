import Foundation
import PureWebP

/// A caller that waits for an image. All methods and variables except `init` are used on the scheduler's queue.
final class ImageReader: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Continuation = DownloadScheduler.Events.Continuation

  let key: ImageKey
  var options: Loader.Options
  /// The download that the reader waits for. Nil before it joins one, and after its last event.
  var download: ImageDownload?
  private let continuation: Continuation
  /// Indicates whether the reader has received an image from the cache. Placeholders and rows must not replace it.
  private var hasCachedImage = false

  init(_ key: ImageKey, _ options: Loader.Options, _ continuation: Continuation) {
    self.key = key
    self.options = options
    self.continuation = continuation
  }

  var wantsRows: Bool { options.isProgressive && !hasCachedImage }
  var wantsCachedImage: Bool { options.refreshesCached && !hasCachedImage }

  /// Sends an update if the reader wants it.
  ///
  /// - Parameter info: the header fields of the image, if they are known.
  func receive(_ update: Loader.Update, _ info: WebP.ImageInfo?) {
    switch update {
    case .placeholder: if hasCachedImage { return }
    case .rows: if !wantsRows { return }
    case .cached:
      if !wantsCachedImage { return }
      hasCachedImage = true
    case .finished: break
    }
    continuation.yield(.update(update, info))
  }

  func finish(_ result: Result<Loader.Event, any Error>) {
    continuation.yield(with: result)
    continuation.finish()
  }
}
