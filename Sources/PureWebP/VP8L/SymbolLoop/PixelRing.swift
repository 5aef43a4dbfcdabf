/// The pixels that symbols make, in a ring of whole rows, and the cache of their colours.
///
/// The ring is as large as the picture, or as the farthest copy needs that its prefix codes can name. A pixel is
/// R G B A, red in the lowest byte.
struct PixelRing {
  var rows: RowRing
  var cache: ColorCache
  /// How many of the last pixels are not yet entered in the cache.
  var unentered = 0
  /// How many pixels of the picture `add` has made.
  private var added = 0
  /// What it gives literals, in its place.
  private var alpha: UInt32 = 0

  /// A copy may be rounded up to this many pixels, and so write behind its end.
  static let slack = 16

  private init(pixels: ContiguousArray<UInt32>, width: Int, cache: ColorCache) {
    rows = RowRing(pixels: pixels, size: pixels.count - Self.slack, width: width)
    self.cache = cache
  }

  /// A ring that keeps all of an image: zeros at first, for what bits do not suffice for.
  init(whole width: Int, height: Int, cache: ColorCache) {
    self.init(pixels: .init(repeating: 0, count: width * height + Self.slack), width: width, cache: cache)
  }

  /// A ring for a picture, of which nobody reads what has not been decoded.
  ///
  /// - Parameters:
  ///   - farthest: how many pixels back copies may reach.
  ///   - rowsHeld: how many rows stay in the ring until they are used, together.
  init(width: Int, height: Int, farthest: Int, rowsHeld: Int, cache: ColorCache) {
    // A copy may write ahead of what is still needed, after another one, and after both wait to be entered in the cache.
    let pixels = max(farthest, rowsHeld * width) + 2 * BackwardReference.longest + Self.slack
    // A multiple of eight rows, which the predictor then finds together.
    let rows = min(height, (pixels / width / 8 + 1) * 8)
    self.init(pixels: .init(uninitializedCount: rows * width + Self.slack), width: width, cache: cache)
  }

  /// Makes pixels of symbols, until there are `end` of the picture; the last symbol may go further.
  mutating func add(_ symbols: inout Symbols, upTo end: Int) {
    // Where there is no cache, literals are entered in one of two slots, and nobody looks for them.
    if cache.colors.isEmpty { cache.colors = .init(repeating: 0, count: 4) }
    let (used, made) = Self.add(
      symbols.words.span.extracting(first: symbols.count), to: &rows.pixels, at: added % rows.size,
      ringSize: rows.size, count: end - added, &cache.colors, cacheBits: cache.bits, alpha: &alpha,
      unentered: &unentered)
    added += made
    symbols.remove(first: used)
  }
}

extension PixelRing: SymbolSink {
  mutating func decode(
    before stop: Int, with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    try decoder.decodePixels(before: stop, into: &self, bytes)
  }

  mutating func decodeLastSymbol(with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>, endBit: Int) -> Bool {
    decoder.decodeLastSymbol(into: &self, bytes, endBit: endBit)
  }
}
