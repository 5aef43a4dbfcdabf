/// Rows of a lossless picture on their way to the OutputWriter.
struct LosslessBatch {
  var rows: ParsedRows
  /// The rows as words; empty where there are none.
  var symbols: Symbols
  /// The rows as pixels; empty on one thread.
  private(set) var ring: RowRing

  /// - Parameters:
  ///   - capacity: how many rows it is to keep.
  ///   - width: of a row in the ring.
  ///   - isShared: among threads.
  ///   - hasWords: whether symbols come as words.
  init(capacity: Int, width: Int, isShared: Bool, hasWords: Bool) {
    rows = ParsedRows(capacity: capacity)
    let size = isShared ? capacity * width : 0
    ring = RowRing(pixels: .init(uninitializedCount: size), size: size, width: width)
    // For its last run there must be room for more words than pixels mostly have.
    symbols = Symbols(capacity: hasWords ? size + Symbols.wordsPerPixel * width : 0)
  }

  /// Makes the rows of the symbols.
  mutating func makePixels(_ all: inout PixelRing) {
    all.add(&symbols, upTo: rows.range.upperBound * ring.width)
    copyRows(from: rows.range.lowerBound, of: all.rows)
  }

  /// Copies what it has of the rows from `first` on.
  mutating func copyRows(from first: Int, of all: borrowing RowRing) {
    ring.copy(first..<rows.range.upperBound, from: all)
  }
}

/// Rows that have been parsed, and are to be drawn together.
struct ParsedRows {
  /// They come together, as they do from libwebp: so a beginning shows the same rows.
  static let together = 16

  private(set) var range = 0..<0
  /// What is wrong with the rows behind.
  private(set) var fault: WebP.DecodeError?
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Whether there are as many as there may be, and nothing is wrong.
  ///
  /// - Parameter end: where the rows end that are wanted.
  func areWhole(end: Int) -> Bool { (range.count == capacity || range.upperBound == end) && fault == nil }

  mutating func restart(at row: Int) {
    range = row..<row
  }

  mutating func add(upTo end: Int) {
    range = range.lowerBound..<end
  }

  mutating func end(with fault: WebP.DecodeError) {
    self.fault = fault
  }
}

extension LosslessParser {
  /// Decodes symbols until there are rows enough, the bytes that have come are used up, or a row is damaged.
  @inline(never)
  mutating func parse(
    _ rows: inout ParsedRows, into sink: inout some SymbolSink, end: Int, _ bytes: Span<UInt8>, isComplete: Bool
  ) {
    while !rows.areWhole(end: end) {
      let next = min(rows.range.upperBound + ParsedRows.together, end)
      do throws(WebP.DecodeError) {
        guard try decodeRows(upTo: next, into: &sink, bytes, isComplete: isComplete) >= next else { return }
      } catch {
        return rows.end(with: error)
      }
      rows.add(upTo: next)
    }
  }
}
