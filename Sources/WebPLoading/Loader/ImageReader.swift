import Foundation
import PureWebP

/// A caller that waits for an image, owned by the scheduler.
struct ImageReader: Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Events = AsyncThrowingStream<Loader.Event, any Error>

  let number: Int
  let key: ImageKey
  var options: Loader.Options
  /// Indicates whether the reader is a view. It may set the size of its image later.
  let isView: Bool
  let continuation: Events.Continuation
  /// Indicates whether the reader has received an image from the cache. Placeholders and rows must not replace it.
  var hasCachedImage = false
  var hasPlaceholder = false

  var wantsPlaceholder: Bool { !hasPlaceholder && !hasCachedImage }
  private var isProgressive: Bool { options.isProgressive && !hasCachedImage }
  var wantsRows: Bool { isProgressive && !isView }
  var wantsPixels: Bool { isProgressive && isView }
  var wantsCachedImage: Bool { options.refreshesCached && !hasCachedImage }

  /// Returns whether the reader wants an event, which it then receives.
  mutating func accepts(_ event: Loader.Event) -> Bool {
    switch event {
    case .update(.placeholder, _):
      guard wantsPlaceholder else { return false }
      hasPlaceholder = true
    case .update(.rows, _): return wantsRows
    case .rows: return wantsPixels
    case .update(.cached, _):
      guard wantsCachedImage else { return false }
      hasCachedImage = true
    case .update(.finished, _), .file, .needsSize: break
    }
    return true
  }

  /// Sends the last event. A view that has to set its size receives others later.
  func finish(_ result: Result<Loader.Event, any Error>) {
    if isView, case .success(.file(let file)) = result {
      continuation.yield(.needsSize(file.info))
    } else {
      continuation.yield(with: result)
      continuation.finish()
    }
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
    var wantsPixels: Bool { readers.contains(where: \.wantsPixels) }
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
  var isUrgent: Bool {
    !reports.isEmpty || images.contains { ($0.wantsRows || $0.wantsPixels) && $0.key.decoding != nil }
  }
  var needsDecoding: Bool { images.contains { $0.key.decoding != nil } }
}
