/// Symbols on their way from the thread that reads them to the one that makes pixels of them, as words:
///
///     31 30 29    24 23         16 15         8 7           0
///      ×  0 ├─ × ───┼─ blue ──────┼─ green ────┼─ red ───────┤    a literal, but for its alpha
///      1  1 ├─ × ───┼─ 0 ──────────────┼─ slot ──────────────┤    a colour of the cache
///      0  1 ├─ 0 ─ 0┼─ length ───────────────────────────────┤    a copy; the next word is the distance
///      0  1 ├─ 0 ─ 1┼─ alpha ────────────────────────────────┤    the alpha of the literals that follow
///
/// Bits that say × have no meaning.
struct Symbols {
  private(set) var words: ContiguousArray<UInt32>
  /// How many words there are; behind them is room.
  private(set) var count = 0

  static let cached: UInt32 = 0xC000_0000
  static let copy: UInt32 = 0x4000_0000
  static let alpha: UInt32 = 0x4100_0000
  /// The most words that a pixel may take: its alpha, and a copy.
  static let wordsPerPixel = 3

  /// - Parameter capacity: for how many words there is room at first. There mostly is at most one for each pixel.
  init(capacity: Int) { words = ContiguousArray(repeating: 0, count: capacity) }

  mutating func remove(first used: Int) {
    let left = count - used
    var span = words.mutableSpan
    for index in 0..<left { span[index] = span[used &+ index] }
    count = left
  }
}

extension Symbols: SymbolSink {
  mutating func decode(
    before stop: Int, with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    try decoder.decodeSymbols(before: stop, into: &words, count: &count, bytes)
  }

  /// False, for alpha alone has a last symbol that may lack bits, and nobody makes symbols of that.
  mutating func decodeLastSymbol(with decoder: inout EntropyDecoder, _ bytes: Span<UInt8>, endBit: Int) -> Bool {
    false
  }
}
