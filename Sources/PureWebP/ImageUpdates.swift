#if !hasFeature(Embedded) && canImport(_Concurrency)
  extension WebP {
    /// A picture as far as it is there.
    public struct ImageUpdate: Hashable, Sendable {
      /// With the rows that are finished: those from the top, or where it is flipped from the bottom.
      public let image: Image
      /// The rows that are new.
      public let rows: Range<Int>
      /// Whether the picture is whole.
      public let isFinal: Bool
    }

    /// Decodes a picture while its bytes come, one at a time. An animation is refused: see ``StreamingAnimation``.
    ///
    /// ```swift
    /// let (bytes, _) = try await URLSession.shared.bytes(from: url)
    /// for try await update in WebP.updates(from: bytes) { show(update.image) }
    /// ```
    ///
    /// (Only on Apple's systems does `URLSession` have bytes as a sequence; WebPLoading's `ImageLoader` loads everywhere.)
    ///
    /// An update that is let go before the next one is asked for costs no copy of its pixels. The sequence ends with the
    /// picture; bytes behind it are not waited for.
    ///
    /// - Throws, while it is iterated: what `bytes` throws, or a ``DecodeError``: if the picture is damaged, or not whole
    ///   when the bytes end. Rows that came before that are told first.
    public static func updates<Bytes: AsyncSequence>(
      from bytes: Bytes, options: DecodeOptions = DecodeOptions()
    ) -> ImageUpdates<AsyncMapSequence<Bytes, CollectionOfOne<UInt8>>> where Bytes.Element == UInt8 {
      updates(from: bytes.map { CollectionOfOne($0) }, options: options)
    }

    /// Decodes a picture while its bytes come, in pieces of any size.
    public static func updates<Pieces: AsyncSequence>(
      from pieces: Pieces, options: DecodeOptions = DecodeOptions()
    ) -> ImageUpdates<Pieces> where Pieces.Element: Collection<UInt8> {
      ImageUpdates(pieces: pieces, options: options)
    }

    /// What `updates(from:options:)` makes.
    public struct ImageUpdates<Pieces: AsyncSequence>: AsyncSequence where Pieces.Element: Collection<UInt8> {
      public typealias Element = ImageUpdate

      fileprivate let pieces: Pieces
      fileprivate let options: DecodeOptions

      public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(pieces: pieces.makeAsyncIterator(), decoder: StreamingDecoder(options: options))
      }

      public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var pieces: Pieces.AsyncIterator
        fileprivate var decoder: StreamingDecoder
        private var rowsShown = 0
        /// What is wrong with what comes behind the rows that have been told.
        private var failure: (any Error)?
        private var isOver = false

        fileprivate init(pieces: Pieces.AsyncIterator, decoder: StreamingDecoder) {
          self.pieces = pieces
          self.decoder = decoder
        }

        public mutating func next() async throws -> ImageUpdate? {
          if isOver { return nil }
          do {
            if let failure { throw failure }
            try await decodeRows()
          } catch {
            isOver = decoder.finishedRows == rowsShown
            if isOver { throw error }
            failure = error
          }
          isOver = isOver || decoder.isFinished
          guard let image = decoder.image else { return nil }
          defer { rowsShown = decoder.finishedRows }
          return ImageUpdate(image: image, rows: decoder.newRows(since: rowsShown), isFinal: decoder.isFinished)
        }

        /// Decodes until there are new rows.
        private mutating func decodeRows() async throws {
          while decoder.finishedRows == rowsShown {
            try Task.checkCancellation()
            if let piece = try await pieces.next() {
              try append(piece)
            } else {
              // Some sources just end where their task is cancelled.
              try Task.checkCancellation()
              try decoder.finish()
            }
          }
        }

        /// Little by little, so that cancellation need not wait for the whole of a large piece.
        private mutating func append(_ piece: Pieces.Element) throws {
          var rest = piece[...]
          while !rest.isEmpty {
            try Task.checkCancellation()
            _ = try decoder.append(rest.prefix(1 << 16))
            rest = rest.dropFirst(1 << 16)
          }
        }
      }
    }
  }

  extension WebP.ImageUpdates: Sendable where Pieces: Sendable {}
#endif
