/// Symbols on their way from the thread that reads them to the one that makes pixels of them, as words:
///
///     31      24 23       16 15        8 7 6 5       0
///     ├─ blue ───┼─ green ───┼─ red ────┤× 0 ├─ × ───┤    a literal, but for its alpha
///     ├─ × ──────────────┼─ slot ───────┤1 1 ├─ × ───┤    a colour of the cache
///     ├─ length ────────────────────────┤0 1 ├─ 0 ───┤    a copy; the next word is the distance
///     ├─ alpha ─────────────────────────┤0 1 ├─ 1 ───┤    the alpha of the literals that follow
///
/// Bits that say × have no meaning. Literals and colours are what the tables say of them: see PrefixCodeEntry.
struct Symbols {
  private(set) var words: ContiguousArray<UInt32>
  /// How many words there are; behind them is room.
  private(set) var count = 0

  static func literal(_ pixel: UInt32) -> UInt32 { pixel &<< 8 }
  static func color(slot: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: slot &<< 8) | PrefixCodeEntry.notLiteral | PrefixCodeEntry.whole
  }
  static func copy(_ length: Int) -> UInt32 { UInt32(truncatingIfNeeded: length &<< 8) | PrefixCodeEntry.notLiteral }
  static func alpha(_ alpha: UInt32) -> UInt32 { alpha &<< 8 | PrefixCodeEntry.notLiteral | 1 }
  /// The most words that a pixel may take: its alpha and a literal, or a copy.
  static let wordsPerPixel = 2

  /// - Parameter capacity: for how many words there is room at first. There mostly is at most one for each pixel.
  init(capacity: Int) { words = ContiguousArray(uninitializedCount: capacity) }

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
