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
  /// An image that readers wait for.
  struct Image: Sendable {
    /// Not empty.
    fileprivate(set) var readers: [ImageReader]

    var key: ImageKey { readers[0].key }
    /// The options of one of the readers.
    var options: WebP.ImageLoader.Options { readers[0].options }
    var wantsPlaceholder: Bool { readers.contains(where: \.wantsPlaceholder) }
    var wantsRows: Bool { readers.contains(where: \.wantsRows) }
    var wantsCachedImage: Bool { readers.contains(where: \.wantsCachedImage) }
  }

  private let readers: [ImageReader]
  private(set) var images: [Image] = []
  let keepsInMemoryOnly: Bool

  init(_ readers: [ImageReader] = [], keepsInMemoryOnly: Bool = false) {
    self.readers = readers
    self.keepsInMemoryOnly = keepsInMemoryOnly
    for reader in readers {
      if let index = images.firstIndex(where: { $0.key == reader.key }) {
        images[index].readers.append(reader)
      } else {
        images.append(Image(readers: [reader]))
      }
    }
  }

  var reports: [@Sendable (WebP.ImageLoader.ByteProgress) -> Void] { readers.compactMap(\.options.onProgress) }
  var continuesInBackground: Bool { readers.contains(where: \.options.continuesInBackground) }
  /// The options of the reader with the most retries.
  var retries: WebP.ImageLoader.Options? { readers.map(\.options).max { $0.maximumRetries < $1.maximumRetries } }

  /// Indicates whether each piece is worth a step.
  var isUrgent: Bool { !reports.isEmpty || images.contains { $0.wantsRows && $0.key.decoding != nil } }
  var needsDecoding: Bool { images.contains { $0.key.decoding != nil } }
}
