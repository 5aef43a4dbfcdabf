import Foundation
import PureWebP

/// The callers that wait for the images of one download. Thread-safe.
final class ImageReaders: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Continuation = AsyncThrowingStream<Loader.Update, any Error>.Continuation

  struct Reader {
    let key: ImageKey
    var options: Loader.Options
    let continuation: Continuation
    /// Indicates whether the reader has received an image from the cache. Placeholders and rows must not replace it.
    var hasCachedImage = false

    func finish(_ result: Result<Loader.Loaded, any Error>) {
      switch result {
      case .success(let loaded):
        continuation.yield(.finished(loaded))
        continuation.finish()
      case .failure(let error): continuation.finish(throwing: error)
      }
    }
  }

  private let lock = NSLock()
  private var readers: [Int: Reader] = [:]
  private var addedCount = 0
  /// Indicates whether any reader so far has set `keepsInMemoryOnly`.
  private var forbidsFile = false

  func add(_ reader: Reader) -> Int {
    lock.withLock {
      addedCount += 1
      if reader.options.keepsInMemoryOnly { forbidsFile = true }
      readers[addedCount] = reader
      return addedCount
    }
  }

  /// Removes a reader.
  ///
  /// - Returns: whether the reader was present and the last one.
  func remove(_ reader: Int) -> Bool {
    lock.withLock { readers.removeValue(forKey: reader) != nil && readers.isEmpty }
  }

  /// Removes and returns the readers of `key`, or all readers if `key` is nil.
  func removeAll(_ key: ImageKey?) -> [Reader] {
    lock.withLock {
      let removed = readers.filter { key == nil || $0.value.key == key }
      for number in removed.keys { readers[number] = nil }
      return Array(removed.values)
    }
  }

  func setPriority(_ priority: Loader.Options.Priority, of reader: Int) {
    lock.withLock { readers[reader]?.options.priority = priority }
  }

  var highestPriority: Loader.Options.Priority {
    lock.withLock { readers.values.map(\.options.priority).max() ?? .normal }
  }

  /// Passes the progress to the readers' `onProgress` functions.
  func report(_ progress: Loader.ByteProgress) {
    for reader in lock.withLock({ Array(readers.values) }) { reader.options.onProgress?(progress) }
  }

  var isEmpty: Bool { lock.withLock { readers.isEmpty } }
  var keepInMemoryOnly: Bool { lock.withLock { forbidsFile } }
  var continueInBackground: Bool { lock.withLock { readers.values.contains { $0.options.continuesInBackground } } }

  /// The maximum number of retries and the delay, from the reader with the highest `maximumRetries`.
  var retries: (maximum: Int, delay: Double) {
    lock.withLock {
      let options = readers.values.map(\.options).max { $0.maximumRetries < $1.maximumRetries }
      return (options?.maximumRetries ?? 0, options?.retryDelay ?? 0)
    }
  }

  /// The images that readers wait for, each with the options of one of its readers.
  var images: [ImageKey: Loader.Options] {
    lock.withLock { readers.values.reduce(into: [:]) { $0[$1.key] = $1.options } }
  }

  /// The images whose readers set `refreshesCached` and have not received an image from the cache.
  var imagesToRefresh: [ImageKey: Loader.Options] {
    lock.withLock {
      readers.values.reduce(into: [:]) {
        if $1.options.refreshesCached, !$1.hasCachedImage { $0[$1.key] = $1.options }
      }
    }
  }

  func wantRows(_ key: ImageKey) -> Bool {
    lock.withLock { readers.values.contains { $0.key == key && $0.options.isProgressive && !$0.hasCachedImage } }
  }

  /// Sends a placeholder or rows to the readers of an image.
  func send(_ update: Loader.Update, _ key: ImageKey) {
    lock.withLock {
      for reader in readers.values where reader.key == key && !reader.hasCachedImage {
        if case .rows = update, !reader.options.isProgressive { continue }
        reader.continuation.yield(update)
      }
    }
  }

  /// Sends an image from the cache to its readers that set `refreshesCached`.
  func sendCached(_ loaded: Loader.Loaded, _ key: ImageKey) {
    lock.withLock {
      for (number, reader) in readers
      where reader.key == key && reader.options.refreshesCached && !reader.hasCachedImage {
        reader.continuation.yield(.cached(loaded))
        readers[number]!.hasCachedImage = true
      }
    }
  }
}
