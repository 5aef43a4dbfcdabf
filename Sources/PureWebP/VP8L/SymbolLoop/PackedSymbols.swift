internal import WebPFormat

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
