import Foundation
import PureWebP

/// Those who wait for one load. Thread-safe.
final class ImageReaders: @unchecked Sendable {
  typealias Loader = WebP.ImageLoader
  typealias Continuation = AsyncThrowingStream<Loader.Update, any Error>.Continuation

  private let lock = NSLock()
  private var readers: [Int: (continuation: Continuation, options: Loader.Options)] = [:]
  private var readersSoFar = 0
  /// Whether one of them wants the file to be kept out of the cache's folder, also if that one has left since.
  private var forbidFile = false

  func add(_ continuation: Continuation, _ options: Loader.Options) -> Int {
    lock.withLock {
      readersSoFar += 1
      if options.keepsInMemoryOnly { forbidFile = true }
      readers[readersSoFar] = (continuation, options)
      return readersSoFar
    }
  }

  /// - Returns: whether that was the last one.
  func remove(_ reader: Int) -> Bool {
    lock.withLock { readers.removeValue(forKey: reader) != nil && readers.isEmpty }
  }

  var isEmpty: Bool { lock.withLock { readers.isEmpty } }
  var wantRows: Bool { lock.withLock { readers.values.contains { $0.options.isProgressive } } }
  var keepInMemoryOnly: Bool { lock.withLock { forbidFile } }

  func tell(_ update: Loader.Update) {
    lock.withLock {
      for reader in readers.values {
        if case .rows = update, !reader.options.isProgressive { continue }
        reader.continuation.yield(update)
      }
    }
  }

  func finish(_ loaded: Loader.Loaded?, _ error: (any Error)?) {
    let readers = lock.withLock {
      defer { self.readers = [:] }
      return self.readers
    }
    for reader in readers.values {
      if let loaded { reader.continuation.yield(.finished(loaded)) }
      reader.continuation.finish(throwing: error)
    }
  }
}
