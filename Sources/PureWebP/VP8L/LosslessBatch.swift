internal import WebPFormat

/// Rows of a lossless image in one stage of the pipeline.
struct LosslessBatch {
  var rows: ParsedRows
  /// The packed symbols of the rows. Empty if the symbols become pixels immediately.
  var symbols: PackedSymbols
  /// The pixels of the rows. Empty on one thread.
  private(set) var ring: RowRing

  /// - Parameters:
  ///   - capacity: the maximum number of rows.
  ///   - width: the width of a row in the ring.
  ///   - isShared: whether the stages run on several threads.
  ///   - packsSymbols: whether symbols are packed for another thread.
  init(capacity: Int, width: Int, isShared: Bool, packsSymbols: Bool) {
    rows = ParsedRows(capacity: capacity)
    let size = isShared ? capacity * width : 0
    ring = RowRing(pixels: .init(uninitializedCount: size), size: size, width: width)
    // Room for a last run of pixels that needs more than one word per pixel.
    symbols = PackedSymbols(capacity: packsSymbols ? size + PackedSymbols.wordsPerPixel * width : 0)
  }

  /// Decodes the symbols of the rows into pixels.
  mutating func unpack(_ all: inout PixelRing) {
    all.unpack(&symbols, upTo: rows.range.upperBound * ring.width)
    copyRows(from: rows.range.lowerBound, of: all.rows)
  }

  /// Copies the rows of the batch from `first` on.
  mutating func copyRows(from first: Int, of all: borrowing RowRing) {
    ring.copy(first..<rows.range.upperBound, from: all)
  }
}

/// Rows whose symbols are parsed and that are transformed together.
struct ParsedRows {
  /// The number of rows that become available together. It equals libwebp's number, so that the same rows of a
  /// truncated file are available.
  static let together = 16

  private(set) var range = 0..<0
  /// The error in the row after the range. It is never cleared, because no rows follow it.
  private(set) var fault: WebP.DecodeError?
  private let capacity: Int

  init(capacity: Int) { self.capacity = capacity }

  /// Returns whether the batch is full or reaches the last requested row, without an error.
  ///
  /// - Parameter end: the end of the requested rows.
  func areComplete(end: Int) -> Bool { (range.count == capacity || range.upperBound == end) && fault == nil }

  mutating func restart(at row: Int) {
    range = row..<row
  }

  mutating func removeFirst(_ count: Int) { range = range.dropFirst(count) }

  /// Adds rows until the batch is full, a row is corrupt, or `decode` returns fewer rows than requested.
  ///
  /// - Parameter decode: decodes all rows before `row`, and returns the number of decoded rows.
  mutating func fill(end: Int, _ decode: (_ row: Int) throws(WebP.DecodeError) -> Int) {
    while fault == nil, !areComplete(end: end) {
      let next = min(range.upperBound + Self.together, end)
      do throws(WebP.DecodeError) {
        guard try decode(next) >= next else { return }
      } catch {
        fault = error
        return
      }
      range = range.lowerBound..<next
    }
  }
}

/// Packed symbols: 32-bit words that one thread parses and another thread decodes into pixels.
///
///     31      24 23       16 15        8 7 6 5       0
///     ├─ blue ───┼─ green ───┼─ red ────┤× 0 ├─ × ───┤    a literal without its alpha
///     ├─ × ──────────────┼─ slot ───────┤1 1 ├─ × ───┤    a color of the cache
///     ├─ length ────────────────────────┤0 1 ├─ 0 ───┤    a copy; the next word is the distance
///     ├─ alpha ─────────────────────────┤0 1 ├─ 1 ───┤    the alpha of the literals that follow
///
/// Bits marked × have any value. Literals and colors are entries of root tables: see PrefixCodeEntry.
struct PackedSymbols {
  var words: ContiguousArray<UInt32>
  /// The number of words in use. The rest of `words` is free.
  var count = 0

  static func literal(_ pixel: UInt32) -> UInt32 { pixel &<< 8 }
  static func color(slot: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: slot &<< 8) | PrefixCodeEntry.notLiteral | PrefixCodeEntry.completesPixel
  }
  static func copy(_ length: Int) -> UInt32 { UInt32(truncatingIfNeeded: length &<< 8) | PrefixCodeEntry.notLiteral }
  static func alpha(_ alpha: UInt32) -> UInt32 { alpha &<< 8 | PrefixCodeEntry.notLiteral | 1 }
  /// The maximum number of words for one pixel: alpha and a literal, or a copy.
  static let wordsPerPixel = 2

  /// - Parameter capacity: the initial number of words. Most images need at most one word for each pixel.
  init(capacity: Int) { words = ContiguousArray(uninitializedCount: capacity) }

  mutating func remove(first used: Int) {
    let left = count - used
    var span = words.mutableSpan
    for index in 0..<left { span[index] = span[used &+ index] }
    count = left
  }
}
