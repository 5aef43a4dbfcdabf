internal import WebPFormat

#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// Composes the frames of an animation while its bytes arrive one at a time.
    ///
    /// ```swift
    /// for try await frame in WebP.frames(from: asyncBytes) { show(frame.image, frame.info.displayMilliseconds) }
    /// ```
    ///
    /// A frame is delivered as soon as its bytes are complete, without regard to its duration. To show the finished
    /// rows of the frame that is still arriving, use ``StreamingAnimation``. A still image is an animation of one
    /// frame, as with ``Animation``.
    ///
    /// The sequence stores the bytes of the file and one canvas. If the caller retains a frame when it requests the
    /// next one, the pixels are copied. The sequence ends with the last frame and does not wait for the bytes after it.
    /// It suspends the task between frames, so that other tasks can run. Composing one frame cannot be interrupted.
    ///
    /// - Throws: During iteration, the error of `bytes`, a ``DecodeError`` if the file is corrupt or incomplete, or
    ///   `CancellationError`. The complete frames before the error are delivered first.
    public static func frames<Bytes: AsyncSequence>(
      from bytes: Bytes, options: DecodeOptions = DecodeOptions()
    ) -> FrameUpdates<AsyncMapSequence<Bytes, CollectionOfOne<UInt8>>> where Bytes.Element == UInt8 {
      frames(from: bytes.map { CollectionOfOne($0) }, options: options)
    }

    /// Composes the frames of an animation while its bytes arrive, in elements of any size.
    public static func frames<Pieces: AsyncSequence>(
      from pieces: Pieces, options: DecodeOptions = DecodeOptions()
    ) -> FrameUpdates<Pieces> where Pieces.Element: Collection<UInt8> {
      FrameUpdates(pieces: pieces, options: options)
    }

    /// The sequence that `frames(from:options:)` returns.
    public struct FrameUpdates<Pieces: AsyncSequence>: AsyncSequence where Pieces.Element: Collection<UInt8> {
      public typealias Element = Animation.Frame

      fileprivate let pieces: Pieces
      fileprivate let options: DecodeOptions

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(state: State(pieces: pieces.makeAsyncIterator(), animation: StreamingAnimation(options: options)))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let state: State

        public mutating func next() async throws -> Animation.Frame? { try await state.next() }
      }

      /// A decoder and the input that it has not received yet.
      fileprivate final class State {
        private var pieces: Pieces.AsyncIterator
        private var animation: StreamingAnimation
        /// Indicates whether all bytes of the frames have arrived.
        private var isComplete = false
        private var isOver = false
        /// The number of bytes that were appended since the last call of `Task.yield`.
        private var bytesSinceYield = 0

        fileprivate init(pieces: Pieces.AsyncIterator, animation: StreamingAnimation) {
          self.pieces = pieces
          self.animation = animation
        }

        fileprivate func next() async throws -> Animation.Frame? {
          if isOver { return nil }
          isOver = true  // also if an error is thrown
          let frame = try await nextFrame()
          isOver = frame == nil
          return frame
        }

        private func nextFrame() async throws -> Animation.Frame? {
          while true {
            try Task.checkCancellation()
            if let frame = try animation.nextFrame() {
              await Task.yield()
              return frame
            }
            if isComplete { return nil }
            try await appendPiece()
          }
        }

        private func appendPiece() async throws {
          guard let piece = try await pieces.next() else {
            // Some sources end when their task is cancelled, without an error.
            try Task.checkCancellation()
            isComplete = true
            try animation.finish()
            return
          }
          isComplete = try animation.append(piece) == .finished
          bytesSinceYield += piece.count
          if bytesSinceYield >= 1 << 14 {
            bytesSinceYield = 0
            await Task.yield()
          }
        }
      }
    }
  }

  extension WebP.FrameUpdates: Sendable where Pieces: Sendable {}
#endif
