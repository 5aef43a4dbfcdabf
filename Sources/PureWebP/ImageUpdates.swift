internal import WebPFormat

#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// An image as far as it has been decoded.
    public struct ImageUpdate: Hashable, Sendable {
      /// The image. Its finished rows are at the top, or at the bottom if it is flipped.
      public let image: Image
      /// The rows that have been finished since the previous update.
      public let rows: Range<Int>
      /// Indicates whether all rows are finished.
      public let isFinal: Bool
    }

    /// Decodes an image, or the first frame of an animation, while its bytes arrive one at a time.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// for try await update in WebP.updates(from: bytes) { show(update.image) }
    /// ```
    ///
    /// `URLSession.bytes(from:)` is available on Apple's systems only. WebPLoading's `ImageLoader` works on all
    /// systems.
    ///
    /// If the caller retains an update when it requests the next one, the pixels are copied. The sequence ends with the
    /// last row and does not wait for the bytes after it. Decoding suspends the task at least once per megapixel, so
    /// that other tasks can run. The first frame of an animation is delivered in one update, when its bytes are
    /// complete: see ``frames(from:options:)-(Bytes,_)`` for all frames.
    ///
    /// - Throws: During iteration, the error of `bytes`, a ``DecodeError`` if the image is corrupt or incomplete, or
    ///   `CancellationError`. Rows before the error are delivered first.
    public static func updates<Bytes: AsyncSequence>(
      from bytes: Bytes, options: DecodeOptions = DecodeOptions()
    ) -> ImageUpdates<AsyncMapSequence<Bytes, CollectionOfOne<UInt8>>> where Bytes.Element == UInt8 {
      updates(from: bytes.map { CollectionOfOne($0) }, options: options)
    }

    /// Decodes an image while its bytes arrive, in elements of any size.
    public static func updates<Pieces: AsyncSequence>(
      from pieces: Pieces, options: DecodeOptions = DecodeOptions()
    ) -> ImageUpdates<Pieces> where Pieces.Element: Collection<UInt8> {
      ImageUpdates(pieces: pieces, options: options)
    }

    /// The sequence that `updates(from:options:)` returns.
    public struct ImageUpdates<Pieces: AsyncSequence>: AsyncSequence where Pieces.Element: Collection<UInt8> {
      public typealias Element = ImageUpdate

      fileprivate let pieces: Pieces
      fileprivate let options: DecodeOptions

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(state: State(pieces: pieces.makeAsyncIterator(), decoder: StreamingDecoder(options: options)))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let state: State

        public mutating func next() async throws -> ImageUpdate? { try await state.next() }
      }

      /// A decoder and the input that it has not received yet.
      fileprivate final class State {
        fileprivate var pieces: Pieces.AsyncIterator
        fileprivate var decoder: StreamingDecoder
        /// The decoder of the first frame. Nil unless the file is an animation.
        private var animation: StreamingAnimation?
        private var rowsDelivered = 0
        /// The error that follows the rows that have been delivered.
        private var failure: (any Error)?
        private var isOver = false
        /// The number of bytes that were appended since the last call of `Task.yield`.
        private var bytesSinceYield = 0

        fileprivate init(pieces: Pieces.AsyncIterator, decoder: StreamingDecoder) {
          self.pieces = pieces
          self.decoder = decoder
        }

        func next() async throws -> ImageUpdate? {
          if isOver { return nil }
          do {
            if let failure { throw failure }
            try await decodeRows()
            if animation != nil {
              isOver = true
              return try await firstFrame()
            }
          } catch {
            isOver = decoder.finishedRows == rowsDelivered
            if isOver { throw error }
            failure = error
          }
          isOver = isOver || decoder.isFinished
          guard let image = decoder.image else { return nil }
          defer { rowsDelivered = decoder.finishedRows }
          return ImageUpdate(image: image, rows: decoder.newRows(since: rowsDelivered), isFinal: decoder.isFinished)
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

        /// Decodes a bounded number of rows. If the file turns out to be an animation, passes its bytes on.
        ///
        /// - Returns: whether decoding stopped at the limit.
        private func decode(_ bytes: Pieces.Element.SubSequence) throws -> Bool {
          do throws(DecodeError) {
            return try decoder.append(bytes, pixelLimit: Self.pixelLimit)
          } catch {
            guard error.cause == .animation else { throw error }
            animation = StreamingAnimation(options: decoder.options)
            try animation?.append(decoder.bytes)
            return false
          }
        }

        /// The first frame of an animation, on its canvas.
        private func firstFrame() async throws -> ImageUpdate? {
          var isComplete = false
          while true {
            try Task.checkCancellation()
            if let image = try animation?.nextFrame()?.image {
              return ImageUpdate(image: image, rows: 0..<image.height, isFinal: true)
            }
            if isComplete { return nil }
            if let piece = try await pieces.next() {
              try animation?.append(piece)
              await Task.yield()
            } else {
              try Task.checkCancellation()
              isComplete = true
              try animation?.finish()
            }
          }
        }

        /// The number of pixels between two calls of `Task.yield`.
        private static var pixelLimit: Int { 1 << 20 }

        /// Decodes the available bytes.
        private func resume(isComplete: Bool) async throws {
          repeat {
            await Task.yield()
            try Task.checkCancellation()
          } while try decoder.resume(isComplete: isComplete, pixelLimit: Self.pixelLimit)
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
            bytesSinceYield += bytes.count
            if isPaused { try await resume(isComplete: false) }
            if bytesSinceYield >= 1 << 14 {
              bytesSinceYield = 0
              await Task.yield()
            }
          }
        }
      }
    }
  }

  extension WebP.ImageUpdates: Sendable where Pieces: Sendable {}
#endif
