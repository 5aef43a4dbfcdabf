// The layout of the entries of prefix code tables (see PrefixCodeTableBuilder).
//
//     entry   31          16 15       8  7  6  5       0
//             ├─ symbol ────┤├─ 0 ─────┤  0  0 ├ length ┤    a symbol
//             ├─ offset ────┤├─ bits ──┤  0  1 ├─ root ─┤    `bits` more bits select an entry from `offset` on
//
// The root table of a green code distinguishes literals from other symbols:
//
//         ├─ 0 ─────────┤├─ green ─┤  0  0 ├ length ┤    a literal
//             ├─ symbol ────┤├─ 0 ─────┤  0  1 ├ length ┤    the length of a copy
//             31    28          18    8
//             ├─ 0 ─┼─ 0 ──────┼─ slot ┤  1  1 ├ length ┤    a color of the cache
//             ├─ a ─┼─ slot b ─┼─ slot ┤  1  1 ├ length ┤    two colors of the cache; the code of the first has a bits
//
// The table of red and blue together:
//
//         ├─ blue ┼─ 0 ─┼─ red ────┤  1  0 ├ length ┤    both
//             ├─ 0 ──────┼ 1 ┼─ red ───┤  0  1 ├ length ┤    red only; blue needs another lookup
//             ├─ 0 ────────────────────┤  0  1 ├─ 0 ────┤    neither; both need another lookup
//
// If symbols are packed (PrefixCodes.swift), literals in the root table of green differ:
//
//         ├─ 0 ─┼ green ┼─ 0 ──────┤  0  0 ├ length ┤    red and blue follow
//             ├─ blue ┼ green ┼─ red ──┤  1  0 ├ length ┤    the complete pixel, if red and blue have no bits
//             ├─ 0 ─┼ green ┼─ 0 ──────┤  0  1 ├ length ┤    red, blue and alpha are looked up separately
//
// In a second-level table, lengths do not include the bits of the root table. The number of bits to drop is always in
// the lowest six bits. Root tables store the lowest bytes again (see below).

internal import WebPFormat

/// The decoded meaning of the next bits of the stream.
struct PrefixCodeEntry {
  var word: UInt32

  static let notLiteral: UInt32 = 0x40
  /// The symbol completes its pixel.
  static let completesPixel: UInt32 = 0x80
  /// In a table of red and blue: only red is known.
  static let onlyRed: UInt32 = 1 << 16

  /// In a table of red and blue: neither is known.
  static let separateLookups = Self(word: notLiteral)

  init(word: UInt32) { self.word = word }

  @inline(__always)
  init(symbol: Int, length: Int) { word = UInt32(truncatingIfNeeded: symbol &<< 16 | length) }

  @inline(__always)
  init(rootBits: Int, moreBits: Int, offset: Int) {
    word = UInt32(truncatingIfNeeded: offset &<< 16 | moreBits &<< 8 | rootBits) | Self.notLiteral
  }

  /// The entry of a root table of green.
  @inline(__always)
  init(green symbol: Int, length: Int) {
    if symbol < PrefixCodeGroup.literalSymbols {
      word = UInt32(truncatingIfNeeded: symbol &<< 8 | length)
    } else if symbol < PrefixCodeGroup.greenSymbols {
      word = UInt32(truncatingIfNeeded: symbol &<< 16 | length) | Self.notLiteral
    } else {
      let slot = symbol &- PrefixCodeGroup.greenSymbols
      word = UInt32(truncatingIfNeeded: slot &<< 8 | length) | Self.notLiteral | Self.completesPixel
    }
  }

  /// A literal of a root table of green, combined with constant red and blue. Alpha does not fit.
  init(_ literal: Self, redBlueAlpha: UInt32) {
    word = UInt32(truncatingIfNeeded: literal.length) | (literal.green | redBlueAlpha) &<< 8 | Self.completesPixel
  }

  /// A literal of a root table of green at its position in a packed symbol. If `needsSlowPath`, other lookups follow.
  init(_ literal: Self, needsSlowPath: Bool) {
    word = UInt32(truncatingIfNeeded: literal.length) | literal.green &<< 8 | (needsSlowPath ? Self.notLiteral : 0)
  }

  /// The entry of a table of red and blue in which only red is known.
  @inline(__always)
  init(red: Self) { word = UInt32(truncatingIfNeeded: red.symbol &<< 8 | red.length) | Self.notLiteral | Self.onlyRed }

  @inline(__always)
  var length: Int { Int(word & 63) }
  @inline(__always)
  var symbol: Int { Int(word &>> 16) }
  /// Indicates whether the entry is not a plain literal: it points to a second-level table, or stores a length or a
  /// slot of the cache.
  @inline(__always)
  var isNotLiteral: Bool { word & Self.notLiteral != 0 }
  /// Indicates whether the entry of a root table of green is the length of a copy.
  @inline(__always)
  var isLength: Bool { needsSlowPath && moreBits == 0 }
  /// Indicates whether the symbol completes its pixel. In a root table of green, this is always true for colors of the
  /// cache. For literals, it is true only in packed symbols.
  @inline(__always)
  var completesPixel: Bool { word & Self.completesPixel != 0 }
  /// Indicates whether the entry contributes nothing to a pixel: it is the length of a copy, or points to other tables.
  @inline(__always)
  var needsSlowPath: Bool { word & (Self.notLiteral | Self.completesPixel) == Self.notLiteral }
  /// The literal of a root table of green, at its position in a pixel.
  @inline(__always)
  var green: UInt32 { word & 0xFF00 }
  /// The slot of a color of the cache.
  @inline(__always)
  var slot: Int { Int(word &>> 8 & 0x7FF) }
  /// The slot of the second color, or 0 if the entry has only one.
  @inline(__always)
  var secondSlot: Int { Int(word &>> 19 & 0x3FF) }
  /// The number of colors minus one.
  @inline(__always)
  var moreColors: Int { word &>> 29 != 0 ? 1 : 0 }
  /// The number of bits of the first color's code.
  @inline(__always)
  var firstLength: Int { word &>> 29 != 0 ? Int(word &>> 29) : length }

  /// Two consecutive colors of the cache. Nil if an entry cannot represent them.
  init?(_ first: Self, _ second: Self, rootBits: Int) {
    let length = first.length &+ second.length
    guard first.completesPixel, second.completesPixel, 1...7 ~= first.length, length <= rootBits, second.slot < 1 << 10
    else {
      return nil
    }
    word = UInt32(truncatingIfNeeded: first.length &<< 29 | second.slot &<< 19 | first.slot &<< 8 | length)
    word |= Self.notLiteral | Self.completesPixel
  }

  /// The number of additional bits that select the entry of a second-level table. 0 if this entry is the symbol.
  @inline(__always)
  var moreBits: UInt64 { UInt64(word &>> 8 & 15) }
  @inline(__always)
  var offset: Int { Int(word &>> 16) }
}

// The low bytes of a root table: the lowest byte of each entry, stored again after the table.
//
//     ├ entry 0 ┼ entry 1 ┼ … ┼ entry 2ⁿ − 1 ┼ low bytes 0 to 3 ┼ low bytes 4 to 7 ┼ … ┤
//
// A low byte has the number of bits to drop and the kind of the entry. The next lookup depends on nothing else, and the
// chain of lookups dominates the time of lossless decoding. Low bytes are a quarter of the size of the entries, so
// their loads hit the processor's cache more often. Nothing waits for the rest of an entry. Only the root tables of
// green, and of red and blue together, have low bytes.

extension PrefixCodeEntry {
  /// The number of entries that a root table occupies together with its low bytes.
  static func countWithLowBytes(_ entries: Int) -> Int { entries + entries / 4 }
}

extension ContiguousArray<PrefixCodeEntry> {
  /// Appends a root table of equal entries, and space for their low bytes.
  mutating func appendRoot(_ entry: PrefixCodeEntry, rootBits: Int, hasLowBytes: Bool = true) {
    let count = hasLowBytes ? PrefixCodeEntry.countWithLowBytes(1 << rootBits) : 1 << rootBits
    append(contentsOf: repeatElement(entry, count: count))
  }
}
