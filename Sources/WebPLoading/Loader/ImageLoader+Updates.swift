import PureWebP

extension WebP.ImageLoader {
  /// An event of a load.
  public enum Update: Sendable {
    /// The headers have arrived. `width` and `height` are the size that results from the options' crop and size, before any
    /// transform.
    case placeholder(WebP.ImageInfo, width: Int, height: Int)
    /// The image so far, and its new rows. All rows above them are finished, and the rows below them are transparent.
    /// If the image is flipped, the rows below are finished and the rows above are transparent.
    case rows(WebP.Image, Range<Int>)
    /// The image from the memory or file cache, while the server is asked for a newer one. Only sent if
    /// ``Options/refreshesCached`` is set. No placeholder or rows follow.
    case cached(Loaded)
    /// The complete image. This is the last update.
    case finished(Loaded)
  }

  /// The number of bytes of a file that have arrived.
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

  /// The updates of one load.
  ///
  /// If the task that reads them is cancelled before the last update, reading throws `CancellationError`.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = Update

    private let stream: AsyncThrowingStream<Update, any Error>
    private let changePriority: @Sendable (Options.Priority) -> Void

    init(
      _ stream: AsyncThrowingStream<Update, any Error>, changePriority: @escaping @Sendable (Options.Priority) -> Void
    ) {
      self.stream = stream
      self.changePriority = changePriority
    }

    /// Changes this reader's priority while the download waits. It has no effect after the download has begun.
    public func setPriority(_ priority: Options.Priority) { changePriority(priority) }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      fileprivate var base: AsyncThrowingStream<Update, any Error>.AsyncIterator
      private var isOver = false

      fileprivate init(base: AsyncThrowingStream<Update, any Error>.AsyncIterator) {
        self.base = base
      }

      public mutating func next() async throws -> Update? {
        if isOver { return nil }
        let update = try await base.next()
        switch update {
        case .finished: isOver = true
        case nil:
          // The stream ends without a last update only if the task is cancelled.
          isOver = true
          throw CancellationError()
        case .placeholder, .rows, .cached: break
        }
        return update
      }
    }
  }
}
