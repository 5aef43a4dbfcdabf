import Foundation
import PureWebP

/// A caller that waits for an image, owned by the scheduler.
struct ImageReader: Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Events = AsyncThrowingStream<Loader.Event, any Error>

  let number: Int
  let key: ImageKey
  var options: Loader.Options
  let continuation: Events.Continuation
  /// Indicates whether the reader has received an image from the cache. Placeholders and rows must not replace it.
  var hasCachedImage = false
  var hasPlaceholder = false

  var wantsPlaceholder: Bool { !hasPlaceholder && !hasCachedImage }
  var wantsRows: Bool { options.isProgressive && !hasCachedImage }
  var wantsCachedImage: Bool { options.refreshesCached && !hasCachedImage }

  /// Returns whether the reader wants an update, which it then receives.
  mutating func accepts(_ update: Loader.Update) -> Bool {
    switch update {
    case .placeholder:
      guard wantsPlaceholder else { return false }
      hasPlaceholder = true
    case .rows: return wantsRows
    case .cached:
      guard wantsCachedImage else { return false }
      hasCachedImage = true
    case .finished: break
    }
    return true
  }

  func finish(_ result: Result<Loader.Event, any Error>) {
    continuation.yield(with: result)
    continuation.finish()
  }
}

/// The wishes of all readers of a download at some moment.
struct Wishes: Sendable {
  /// An image that readers wait for, with the options of one of them.
  struct Image: Sendable {
    let key: ImageKey
    let options: WebP.ImageLoader.Options
    var wantsPlaceholder: Bool
    var wantsRows: Bool
    var wantsCachedImage: Bool
  }

  private(set) var images: [Image] = []
  private(set) var reports: [@Sendable (WebP.ImageLoader.ByteProgress) -> Void] = []
  private(set) var continuesInBackground = false
  /// The options of the reader with the most retries.
  private(set) var retries: WebP.ImageLoader.Options?
  var keepsInMemoryOnly = false

  /// Indicates whether each piece is worth a step.
  var isUrgent: Bool { !reports.isEmpty || images.contains { $0.wantsRows && $0.key.decoding != nil } }
  var needsDecoding: Bool { images.contains { $0.key.decoding != nil } }

  mutating func add(_ reader: ImageReader) {
    if let index = images.firstIndex(where: { $0.key == reader.key }) {
      images[index].wantsPlaceholder = images[index].wantsPlaceholder || reader.wantsPlaceholder
      images[index].wantsRows = images[index].wantsRows || reader.wantsRows
      images[index].wantsCachedImage = images[index].wantsCachedImage || reader.wantsCachedImage
    } else {
      images.append(
        Image(
          key: reader.key, options: reader.options, wantsPlaceholder: reader.wantsPlaceholder,
          wantsRows: reader.wantsRows, wantsCachedImage: reader.wantsCachedImage))
    }
    if let report = reader.options.onProgress { reports.append(report) }
    if reader.options.continuesInBackground { continuesInBackground = true }
    if retries.map({ $0.maximumRetries < reader.options.maximumRetries }) ?? true { retries = reader.options }
  }
}
