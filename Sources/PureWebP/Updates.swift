#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// An image as far as it has been decoded, or the canvas with a frame of an animation.
    public struct Update: Sendable {
      /// The image or the canvas. The finished rows of an image are at the top, or at the bottom if it is flipped.
      public let image: Image
      /// The rows that have been finished since the previous update: all rows for a frame and for an upright image.
      public let rows: Range<Int>
      /// Indicates whether all rows are finished, and upright if ``DecodeOptions/isUpright`` is set.
      public let isComplete: Bool
      /// The index and the properties of the frame, with the same image. Nil for a still image.
      public let frame: Animation.Frame?
      /// The metadata chunks that have arrived. Exif and XMP usually follow the pixels, so the last update may lack
      /// them.
      public let metadata: Metadata
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
    /// The sequence ends with the last row or frame and does not wait for the bytes after it. If a still image is to be
    /// upright, the rows are delivered as they are stored. The last update follows when the metadata is complete, and
    /// has the upright image. If the caller retains an update when it requests the next one, the pixels are copied.
    /// Decoding suspends the task at least once per megapixel, so that other tasks can run; rotating does not.
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
      fileprivate let pieces: Pieces
      fileprivate let options: DecodeOptions

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(state: State(pieces: pieces.makeAsyncIterator(), decoder: StreamingDecoder(options: options)))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let state: State

        public mutating func next() async throws -> Update? { try await state.next() }
      }

      /// A decoder and the input that it has not received yet. All that does not depend on the type of the input is in
      /// `UpdateDecoder`: the compiler repeats a generic function after each `await` in a loop.
      fileprivate final class State {
        private var pieces: Pieces.AsyncIterator
        private let decoder: UpdateDecoder

        fileprivate init(pieces: Pieces.AsyncIterator, decoder: StreamingDecoder) {
          self.pieces = pieces
          self.decoder = UpdateDecoder(decoder)
        }

        func next() async throws -> Update? {
          if decoder.isOver { return nil }
          if !decoder.isAnimated, let update = try await nextRows() { return update }
          if decoder.isOver { return nil }
          decoder.isOver = true  // also if an error is thrown
          guard let update = try await nextFrame() else { return nil }
          decoder.isOver = false
          return update
        }

        /// The next update of a still image. Nil if the file turns out to be an animation.
        private func nextRows() async throws -> Update? {
          do {
            try decoder.checkFailure()
            while decoder.needsBytes {
              try Task.checkCancellation()
              if let piece = try await pieces.next() {
                try await append(piece)
              } else {
                try await decoder.finishRows()
              }
            }
          } catch {
            try decoder.fail(error)
          }
          return decoder.newRows()
        }

        /// Appends and decodes a bounded number of bytes and rows at a time, and lets other tasks run in between.
        private func append(_ piece: Pieces.Element) async throws {
          var rest = piece[...]
          while !rest.isEmpty {
            try Task.checkCancellation()
            let bytes = rest.prefix(1 << 16)
            rest = rest.dropFirst(1 << 16)
            let isPaused = try decoder.decode(bytes)
            if decoder.isAnimated { return try decoder.appendFrames(rest) }
            try await decoder.finishStep(isPaused: isPaused, bytes: bytes.count)
          }
        }

        private func nextFrame() async throws -> Update? {
          while true {
            if let frame = try await decoder.nextFrame() { return frame }
            if decoder.framesArrived { return nil }
            if let piece = try await pieces.next() {
              try decoder.appendFrames(piece)
              await decoder.yield(after: piece.count)
            } else {
              try decoder.finishFrames()
            }
          }
        }
      }
    }
  }

  extension WebP.Updates: Sendable where Pieces: Sendable {}
#endif
