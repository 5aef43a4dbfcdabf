// What the entry of a table of prefix codes says (see PrefixCodeTable).
//
//   entry   31          16 15       8  7  6  5       0
//           ├─ symbol ────┤├─ 0 ─────┤  0  0 ├ length ┤    a symbol
//           ├─ offset ────┤├─ bits ──┤  0  1 ├─ root ─┤    `bits` more bits select an entry from `offset` on
//
// The root of a green code tells literals from the rest:
//
//           ├─ 0 ─────────┤├─ green ─┤  0  0 ├ length ┤    a literal
//           ├─ symbol ────┤├─ 0 ─────┤  0  1 ├ length ┤    a length of a copy
//           31    28          18    8
//           ├─ 0 ─┼─ 0 ──────┼─ slot ┤  1  1 ├ length ┤    a colour of the cache
//           ├─ a ─┼─ slot b ─┼─ slot ┤  1  1 ├ length ┤    two of them, the first of which takes a bits
//
// And that of red and blue together:
//
//           ├─ blue ┼─ 0 ─┼─ red ────┤  1  0 ├ length ┤    both
//           ├─ 0 ──────┼ 1 ┼─ red ───┤  0  1 ├ length ┤    red, and blue by itself
//           ├─ 0 ────────────────────┤  0  1 ├─ 0 ────┤    each by itself
//
// Where symbols become words (PrefixCodeGroup+Roots), green's root has other literals:
//
//           ├─ 0 ─┼ green ┼─ 0 ──────┤  0  0 ├ length ┤    one with red and blue
//           ├─ blue ┼ green ┼─ red ──┤  1  0 ├ length ┤    all of it, if red and blue have no bits
//           ├─ 0 ─┼ green ┼─ 0 ──────┤  0  1 ├ length ┤    red, blue and alpha each by itself, if alpha has bits
//
// In a second table lengths are counted without the root's. The bits to drop are always the lowest six, and the lowest
// byte is the head (see PrefixCodeHeads).

/// What the next bits of the stream say.
struct PrefixCodeEntry {
  var bits: UInt32

  static let notLiteral: UInt32 = 0x40
  /// Nothing follows that belongs to the pixel.
  static let whole: UInt32 = 0x80
  /// In a table of red and blue.
  static let onlyRed: UInt32 = 1 << 16

  /// In a table of red and blue: each by itself.
  static let special = Self(bits: notLiteral)

  init(bits: UInt32) { self.bits = bits }

  @inline(__always)
  init(symbol: Int, length: Int) { bits = UInt32(truncatingIfNeeded: symbol &<< 16 | length) }

  @inline(__always)
  init(rootBits: Int, moreBits: Int, offset: Int) {
    bits = UInt32(truncatingIfNeeded: offset &<< 16 | moreBits &<< 8 | rootBits) | Self.notLiteral
  }

  /// The entry of a green root.
  @inline(__always)
  init(green symbol: Int, length: Int) {
    if symbol < PrefixCodeGroup.lengthSymbols {
      bits = UInt32(truncatingIfNeeded: symbol &<< 8 | length)
    } else if symbol < PrefixCodeGroup.greenSymbols {
      bits = UInt32(truncatingIfNeeded: symbol &<< 16 | length) | Self.notLiteral
    } else {
      let slot = symbol &- PrefixCodeGroup.greenSymbols
      bits = UInt32(truncatingIfNeeded: slot &<< 8 | length) | Self.notLiteral | Self.whole
    }
  }

  /// A literal of a green root with its other colours; alpha has no room.
  init(_ literal: Self, redBlueAlpha: UInt32) {
    bits = UInt32(truncatingIfNeeded: literal.length) | (literal.green | redBlueAlpha) &<< 8 | Self.whole
  }

  /// A literal of a green root in the place that it has in a word, without or with a detour.
  init(_ literal: Self, isDetour: Bool) {
    bits = UInt32(truncatingIfNeeded: literal.length) | literal.green &<< 8 | (isDetour ? Self.notLiteral : 0)
  }

  /// The entry of a table of red and blue where only red is known.
  @inline(__always)
  init(red: Self) { bits = UInt32(truncatingIfNeeded: red.symbol &<< 8 | red.length) | Self.notLiteral | Self.onlyRed }

  @inline(__always)
  var length: Int { Int(bits & 63) }
  @inline(__always)
  var symbol: Int { Int(bits &>> 16) }
  /// Whether the entry is more than a literal: it leads to a second table, or holds a length or a cache index.
  @inline(__always)
  var isSpecial: Bool { bits & Self.notLiteral != 0 }
  /// Whether the entry of a green root is a length.
  @inline(__always)
  var isLength: Bool { isDetour && moreBits == 0 }
  /// Whether nothing follows that belongs to the pixel. In the root of a green code a colour of the cache is whole; a
  /// literal only where symbols become words.
  @inline(__always)
  var isWhole: Bool { bits & Self.whole != 0 }
  /// Whether the entry is neither a pixel nor a part of one: it is a length, or leads to other tables.
  @inline(__always)
  var isDetour: Bool { bits & (Self.notLiteral | Self.whole) == Self.notLiteral }
  /// The literal of a green root, in its place in a pixel.
  @inline(__always)
  var green: UInt32 { bits & 0xFF00 }
  /// The slot of a colour of the cache.
  @inline(__always)
  var slot: Int { Int(bits &>> 8 & 0x7FF) }
  /// The slot of the second colour; 0 if there is one only.
  @inline(__always)
  var secondSlot: Int { Int(bits &>> 19 & 0x3FF) }
  /// How many colours there are less one.
  @inline(__always)
  var moreColors: Int { bits &>> 29 != 0 ? 1 : 0 }
  /// How many bits the first colour takes.
  @inline(__always)
  var firstLength: Int { bits &>> 29 != 0 ? Int(bits &>> 29) : length }

  /// Two colours of the cache, one behind the other. Nil if that cannot be said.
  init?(_ first: Self, _ second: Self, rootBits: Int) {
    let length = first.length &+ second.length
    guard first.isWhole, second.isWhole, 1...7 ~= first.length, length <= rootBits, second.slot < 1 << 10 else {
      return nil
    }
    bits = UInt32(truncatingIfNeeded: first.length &<< 29 | second.slot &<< 19 | first.slot &<< 8 | length)
    bits |= Self.notLiteral | Self.whole
  }

  /// How many more bits select the entry of a second table; 0: this is the symbol.
  @inline(__always)
  var moreBits: UInt64 { UInt64(bits &>> 8 & 15) }
  @inline(__always)
  var offset: Int { Int(bits &>> 16) }
}
