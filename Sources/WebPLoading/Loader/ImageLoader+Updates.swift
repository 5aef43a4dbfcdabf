import Foundation
import PureWebP

extension WebP.ImageLoader {
  /// An event of a load.
  @nonexhaustive
  public enum Update: Sendable {
    /// The headers have arrived. `width` and `height` are the image's size after the crop and scale of the options, and
    /// before the transform. As long as the orientation has not arrived, it is the size of the stored image, which may
    /// be rotated.
    case placeholder(WebP.ImageInfo, size: WebP.Size)
    /// The image so far, and the range of its new rows. All rows above this range are finished, and all rows below it
    /// are transparent. If the options flip the image, it is the other way around. The image is not oriented.
    case rows(WebP.Image, finished: Range<Int>)
    /// The cached image, while the server is asked for a newer one. Sent only if ``Options/refreshesCached`` is set. No
    /// placeholder and no rows follow.
    case cached(Loaded)
    /// The complete image. This is the last update.
    case finished(Loaded)
  }

  /// An event that a reader receives.
  package enum Event: Sendable {
    /// An update, and the header fields of the image, if they are known.
    case update(Update, WebP.ImageInfo?)
    /// The image so far. Views receive it instead of `Update.rows`. The header fields accompany it, because a slow view
    /// may miss the placeholder.
    case rows(DrawablePixels, WebP.ImageInfo?)
    /// The complete file. Only a reader that requests no image receives it.
    case file(File)
    /// The file is complete, and its image is decoded as soon as the view has a size. The header fields are nil for
    /// other formats.
    case needsSize(WebP.ImageInfo?)
  }

  /// A complete file.
  package struct File: Sendable {
    let bytes: Data
    let source: Loaded.Source
    let info: WebP.ImageInfo?

    package init(_ bytes: Data, _ source: Loaded.Source, _ info: WebP.ImageInfo? = nil) {
      (self.bytes, self.source, self.info) = (bytes, source, info)
    }
  }

  /// The progress of a download, in bytes.
  public struct ByteProgress: Sendable, Equatable {
    /// The number of bytes received so far.
    public let receivedBytes: Int
    /// The length of the file, in bytes. Nil if the server does not specify it.
    public let expectedBytes: Int?

    /// The received part of the file, from 0 to 1. Nil if the length is not known.
    public var fraction: Double? {
      guard let expectedBytes, expectedBytes > 0 else { return nil }
      return min(1, Double(receivedBytes) / Double(expectedBytes))
    }
  }

  /// The updates of one load. They can be iterated over once. Another iteration has no updates.
  ///
  /// If the task that iterates over the updates is cancelled before the last update, `next()` throws
  /// `CancellationError`.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = Update

    let events: DownloadScheduler.Events
    let changePriority: @Sendable (Options.Priority) -> Void
    /// Removes the reader from its download.
    let end: @Sendable () -> Void

    /// Changes this reader's priority. It has no effect after the download has begun.
    public func setPriority(_ priority: Options.Priority) { changePriority(priority) }

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: events.makeAsyncIterator(), iteration: Iteration(end))
    }

    /// Ends the load with the iteration, even if the sequence is retained, for example for `setPriority`.
    fileprivate final class Iteration: Sendable {
      private let end: @Sendable () -> Void

      init(_ end: @escaping @Sendable () -> Void) { self.end = end }

      deinit { end() }
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var base: DownloadScheduler.Events.AsyncIterator
      fileprivate let iteration: Iteration

      public mutating func next() async throws -> Update? {
        guard case .update(let update, _) = try await base.next() else {
          // Before the last update, the events end only if the task is cancelled.
          try Task.checkCancellation()
          return nil
        }
        return update
      }
    }
  }
}
