#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// An image as far as it has been decoded, or the canvas with a frame of an animation.
    public struct Update: Sendable {
      /// The image or the canvas. The finished rows of an image are at the top, or at the bottom if it is flipped.
      public let image: Image
      /// The rows that have been finished since the previous update: all rows for a frame.
      public let rows: Range<Int>
      /// Indicates whether all rows are finished.
      public let isComplete: Bool
      /// The index and the properties of the frame, with the same image. Nil for a still image.
      public let frame: Animation.Frame?
    }

    /// Decodes an image or the frames of an animation while its bytes arrive one at a time.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// for try await update in WebP.updates(from: bytes) { show(update.image) }
    /// ```
    ///
    /// `URLSession.bytes(from:)` is available on Apple's systems only. WebPLoading's `ImageLoader` works on all
    /// systems.
    ///
    /// A still image is delivered as often as rows of it are finished. A frame of an animation is delivered when its
    /// bytes are complete, without regard to its duration. To show only the first frame, end the loop at
    /// ``Update/isComplete``. ``StreamingAnimation`` also has the finished rows of the frame that is still arriving.
    ///
    /// The sequence ends with the last row or frame and does not wait for the bytes after it. If the caller retains an
    /// update when it requests the next one, the pixels are copied. Decoding suspends the task at least once per
    /// megapixel, so that other tasks can run.
    ///
    /// - Throws: During iteration, the error of `bytes`, a ``DecodeError`` if the file is corrupt or incomplete, or
    ///   `CancellationError`. Rows and frames before the error are delivered first.
    public static func updates<Bytes: AsyncSequence>(
      from bytes: Bytes, options: DecodeOptions = DecodeOptions()
    ) -> Updates<AsyncMapSequence<Bytes, CollectionOfOne<UInt8>>> where Bytes.Element == UInt8 {
      updates(from: bytes.map { CollectionOfOne($0) }, options: options)
    }

    /// Decodes an image or the frames of an animation while its bytes arrive, in elements of any size.
    public static func updates<Pieces: AsyncSequence>(
      from pieces: Pieces, options: DecodeOptions = DecodeOptions()
    ) -> Updates<Pieces> where Pieces.Element: Collection<UInt8> {
      Updates(pieces: pieces, options: options)
    }

    /// The sequence that `updates(from:options:)` returns.
    public struct Updates<Pieces: AsyncSequence>: AsyncSequence where Pieces.Element: Collection<UInt8> {
      public typealias Element = Update

      fileprivate let pieces: Pieces
      fileprivate let options: DecodeOptions

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(state: State(pieces: pieces.makeAsyncIterator(), decoder: StreamingDecoder(options: options)))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let state: State

        public mutating func next() async throws -> Update? { try await state.next() }
      }

      /// A decoder and the input that it has not received yet.
      fileprivate final class State {
        private var pieces: Pieces.AsyncIterator
        /// The decoder of a still image.
        private var decoder: StreamingDecoder
        /// The decoder of an animation. Nil unless the file is one.
        private var animation: StreamingAnimation?
        private var rowsDelivered = 0
        /// The error that follows the rows that have been delivered.
        private var failure: (any Error)?
        /// Indicates whether all bytes of the frames have arrived.
        private var framesArrived = false
        private var isOver = false
        /// The number of bytes that were appended since the last call of `Task.yield`.
        private var bytesSinceYield = 0

        fileprivate init(pieces: Pieces.AsyncIterator, decoder: StreamingDecoder) {
          self.pieces = pieces
          self.decoder = decoder
        }

        func next() async throws -> Update? {
          if isOver { return nil }
          if animation == nil, let update = try await nextRows() { return update }
          if isOver { return nil }
          isOver = true  // also if an error is thrown
          guard let frame = try await nextFrame() else { return nil }
          isOver = false
          return Update(image: frame.image, rows: 0..<frame.image.height, isComplete: true, frame: frame)
        }

        /// The number of pixels between two calls of `Task.yield`.
        private static var pixelLimit: Int { 1 << 20 }

        /// Counts appended bytes, and lets other tasks run.
        private func yield(after bytes: Int) async {
          bytesSinceYield += bytes
          guard bytesSinceYield >= 1 << 14 else { return }
          bytesSinceYield = 0
          await Task.yield()
        }
      }
    }
  }

  extension WebP.Updates: Sendable where Pieces: Sendable {}

  // MARK: Still images

  extension WebP.Updates.State {
    /// The next update of a still image. Nil if the file turns out to be an animation.
    private func nextRows() async throws -> WebP.Update? {
      do {
        if let failure { throw failure }
        try await decodeRows()
        if animation != nil { return nil }
      } catch {
        isOver = decoder.finishedRows == rowsDelivered
        if isOver { throw error }
        failure = error
      }
      isOver = isOver || decoder.isFinished
      guard let image = decoder.image else { return nil }
      defer { rowsDelivered = decoder.finishedRows }
      return WebP.Update(
        image: image, rows: decoder.newRows(since: rowsDelivered), isComplete: decoder.isFinished, frame: nil)
    }

    /// Decodes elements until one of them has completed new rows.
    private func decodeRows() async throws {
      while decoder.finishedRows == rowsDelivered, animation == nil {
        try Task.checkCancellation()
        if let piece = try await pieces.next() {
          try await append(piece)
        } else {
          // Some sources end when their task is cancelled, without an error.
          try Task.checkCancellation()
          try await resume(isComplete: true)
        }
      }
    }

    /// Appends and decodes a bounded number of bytes and rows at a time, and lets other tasks run in between.
    private func append(_ piece: Pieces.Element) async throws {
      var rest = piece[...]
      while !rest.isEmpty {
        try Task.checkCancellation()
        let bytes = rest.prefix(1 << 16)
        rest = rest.dropFirst(1 << 16)
        let isPaused = try decode(bytes)
        if animation != nil {
          try animation?.append(rest)
          return
        }
        if isPaused { try await resume(isComplete: false) }
        await yield(after: bytes.count)
      }
    }

    /// Decodes a bounded number of rows. If the file turns out to be an animation, passes its bytes on.
    ///
    /// - Returns: whether decoding stopped at the limit.
    private func decode(_ bytes: Pieces.Element.SubSequence) throws -> Bool {
      do throws(WebP.DecodeError) {
        return try decoder.append(bytes, pixelLimit: Self.pixelLimit)
      } catch {
        guard error.cause == .animation else { throw error }
        animation = WebP.StreamingAnimation(options: decoder.options)
        try animation?.append(decoder.bytes)
        return false
      }
    }

    /// Decodes the available bytes.
    private func resume(isComplete: Bool) async throws {
      repeat {
        await Task.yield()
        try Task.checkCancellation()
      } while try decoder.resume(isComplete: isComplete, pixelLimit: Self.pixelLimit)
    }
  }

  // MARK: Animations

  extension WebP.Updates.State {
    private func nextFrame() async throws -> WebP.Animation.Frame? {
      while true {
        try Task.checkCancellation()
        if let step = try animation?.nextFrame(pixelLimit: Self.pixelLimit), step.frame != nil || step.isPaused {
          await Task.yield()
          if let frame = step.frame { return frame }
          continue
        }
        if framesArrived { return nil }
        if let piece = try await pieces.next() {
          try animation?.append(piece)
          framesArrived = animation?.isFinished == true
          await yield(after: piece.count)
        } else {
          try Task.checkCancellation()
          framesArrived = true
          try animation?.finish()
        }
      }
    }
  }
#endif
