internal import WebPFormat

/// The decoded pixels in a ring of complete rows, and the color cache.
///
/// The ring stores the complete image, or as many rows as the longest distance of its prefix codes needs. A pixel is R
/// G B A, with red in the lowest byte.
struct PixelRing {
  var rows: RowRing
  var cache: ColorCache
  /// The number of most recent pixels whose insertion into the cache is deferred.
  var pendingInsertions = 0
  /// The number of pixels that `unpack` has decoded.
  private var unpacked = 0
  /// The alpha of literals in packed symbols, at its position in a pixel.
  private var alpha: UInt32 = 0

  /// The number of pixels that a copy may write past its end, because its length is rounded up.
  static let slack = 16

  private init(pixels: ContiguousArray<UInt32>, width: Int, cache: ColorCache) {
    rows = RowRing(pixels: pixels, size: pixels.count - Self.slack, width: width)
    self.cache = cache
  }

  /// A ring that holds a complete image. It starts with zeros, which represent pixels whose bits are missing.
  init(completeImage width: Int, height: Int, cache: ColorCache) {
    self.init(pixels: .init(filledWith: 0, count: width * height + Self.slack), width: width, cache: cache)
  }

  /// A ring for the main image. Its pixels are uninitialized until they are decoded.
  ///
  /// - Parameters:
  ///   - farthest: the maximum distance of a copy, in pixels.
  ///   - bufferedRows: the number of rows that stay in the ring until they are used together.
  init(width: Int, height: Int, farthest: Int, bufferedRows: Int, cache: ColorCache) {
    // A copy may overwrite old pixels up to its length ahead. Deferred insertions may need as many earlier pixels.
    let pixels = max(farthest, bufferedRows * width) + 2 * BackwardReference.longest + Self.slack
    // A multiple of eight rows, which the inverse predictor processes together.
    let rows = min(height, (pixels / width / 8 + 1) * 8)
    self.init(pixels: .init(uninitializedCount: rows * width + Self.slack), width: width, cache: cache)
  }

  /// Decodes packed symbols until `end` pixels of the image are decoded. The last symbol may extend further.
  mutating func unpack(_ symbols: inout PackedSymbols, upTo end: Int) {
    // Without a cache, literals are written to one of two dummy slots, which keeps the loop branch-free.
    if cache.colors.isEmpty { cache.colors = .init(filledWith: 0, count: 4) }
    let (used, decoded) = Self.unpack(
      symbols.words.span.extracting(first: symbols.count), to: &rows.pixels, at: unpacked % rows.size,
      ringSize: rows.size, count: end - unpacked, &cache.colors, cacheBits: cache.sizeBits, alpha: &alpha,
      pendingInsertions: &pendingInsertions)
    unpacked += decoded
    symbols.remove(first: used)
  }
}

/// The most recent rows of pixels before the inverse transforms.
///
///     pixels    ├ row 0 ┼ row 1 ┼ … ┼ row n − 1 ┤      row y of the image is row y mod n
struct RowRing {
  var pixels: ContiguousArray<UInt32>
  /// The number of pixels in the ring. In a `PixelRing`, slack follows them.
  let size: Int
  let width: Int

  /// The index of the first of `rows`, and the number of rows that follow without wrapping around.
  func position(of rows: Range<Int>) -> (start: Int, count: Int) {
    let start = rows.lowerBound * width % size
    return (start, min(rows.count, (size - start) / width))
  }

  /// Copies rows of another ring to their positions in this one.
  mutating func copy(_ rows: Range<Int>, from other: borrowing RowRing) {
    let (width, size) = (width, size)
    var target = pixels.mutableSpan
    for row in rows {
      target.copyPixels(
        width, from: other.pixels.span, at: row * width % other.size, to: 4 * (row * width % size))
    }
  }
}
