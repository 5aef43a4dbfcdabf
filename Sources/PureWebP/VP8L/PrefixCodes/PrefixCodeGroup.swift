// The five prefix codes that a pixel is written in (RFC 9649, sections 3.7.1 and 3.7.2.3), as look-up tables.
//
// A pixel is its green symbol, then, where that is a literal, red, blue and alpha. Most pixels have short codes, so
// that two look-ups do: green, whose entry has the colour in its place in the pixel, and one joint table for red and
// blue:
//
//   constant   no code has a bit                 the pixel
//   green      only green has bits               green                        (palettes)
//   opaque     alpha has one value               green ▸ red+blue
//   alpha      all have bits                     green ▸ red+blue ▸ alpha
//
// A pixel whose codes are longer than a joint table's index takes the single tables, which are always there.

/// Where a group's tables are, and which of them its pixels need.
struct PrefixCodeGroup {
  enum Form: UInt8 { case constant, green, opaque, alpha }

  /// Literals, then length prefixes; the colour cache's indices follow (section 3.7.2.3).
  static let lengthSymbols = 256
  static let greenSymbols = 256 + 24
  static let distanceSymbols = 40

  /// Of the single tables but green's.
  static let rootBits = 8
  /// `bits` of a group at the most.
  static let mostBits = 10

  /// `bits` of a group for about so many pixels: for few, larger roots do not pay.
  private static func bits(pixels: Int) -> Int { pixels < fewPixels ? 8 : pixels < 1 << 15 ? 9 : mostBits }
  /// For fewer, it does not pay to have a joint table.
  private static let fewPixels = 512

  var form = Form.alpha
  /// The channels that have one value only, in their places.
  var constant: UInt32 = 0
  var green = 0
  /// How many bits index the root of green's table, and that of red and blue.
  var bits = 0
  var red = 0
  var blue = 0
  var alpha = 0
  var distance = 0
  /// Red and blue.
  var joint = 0

  /// Where the heads of green's root are (see PrefixCodeHeads), and those of the joint table.
  @inline(__always)
  var greenHeads: Int { green &+ 1 &<< bits }
  @inline(__always)
  var jointHeads: Int { joint &+ 1 &<< bits }
  /// 2ⁿ − 1 for `bits` of n.
  @inline(__always)
  var mask: UInt64 { 1 &<< UInt64(truncatingIfNeeded: bits) &- 1 }

  /// Whether red, blue and alpha have one value.
  var onlyGreenHasBits: Bool { form == .green || form == .constant }
}

extension PrefixCodeGroup {
  /// Reads a group, and appends its tables.
  ///
  /// - Parameter pixels: how many will have these codes, about: for a few the larger tables do not pay.
  @inline(never)
  init(
    codes: inout PrefixCodeReader, cacheSize: Int, pixels: Int, to tables: inout ContiguousArray<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    bits = Self.bits(pixels: pixels)
    green = tables.count
    let longestGreen = try codes.readGreenTable(
      symbolCount: Self.greenSymbols + cacheSize, rootBits: bits, to: &tables, &reader, bytes)
    tables.fillHeads(ofRoot: green, bits: bits)
    let longestRed = try codes.readTable(symbolCount: 256, &red, in: &tables, &reader, bytes)
    let longestBlue = try codes.readTable(symbolCount: 256, &blue, in: &tables, &reader, bytes)
    let longestAlpha = try codes.readTable(symbolCount: 256, &alpha, in: &tables, &reader, bytes)
    _ = try codes.readTable(symbolCount: Self.distanceSymbols, &distance, in: &tables, &reader, bytes)

    if longestAlpha == 0 {
      constant = UInt32(truncatingIfNeeded: tables[alpha].symbol) << 24
      form = .opaque
      if longestRed == 0, longestBlue == 0 {
        constant |= UInt32(truncatingIfNeeded: tables[red].symbol | tables[blue].symbol << 16)
        form = .green
        if longestGreen == 0, !tables[green].isSpecial {
          constant |= tables[green].green
          form = .constant
        }
        return
      }
    }
    if pixels < Self.fewPixels {
      joint = codes.commonJointTable(bits: bits, in: &tables)
    } else {
      joint = tables.count
      tables.appendRoot(.special, bits: bits)
      fillJointTable(in: &tables)
      tables.fillHeads(ofRoot: joint, bits: bits)
    }
  }

  /// Reads a group that no block uses, and checks it.
  ///
  /// - Returns: `onlyGreenHasBits` of it.
  @inline(never)
  static func skip(
    codes: inout PrefixCodeReader, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(LosslessFault) -> Bool {
    _ = try codes.skipTable(symbolCount: greenSymbols + cacheSize, &reader, bytes)
    var bits = 0
    for _ in 0..<3 { bits |= try codes.skipTable(symbolCount: 256, &reader, bytes) }
    _ = try codes.skipTable(symbolCount: distanceSymbols, &reader, bytes)
    return bits == 0
  }

  /// The table of red and blue together, as pixels above the length. Where they are longer than the index it is special,
  /// as it has been before, and says what red is, if it can.
  private func fillJointTable(in tables: inout ContiguousArray<PrefixCodeEntry>) {
    var all = tables.mutableSpan
    for index in 0..<1 &<< bits {
      let first = all[red &+ index & 255]
      if first.isSpecial { continue }
      let second = all[blue &+ (index &>> first.length) & 255]
      let length = first.length &+ second.length
      if second.isSpecial || length > bits {
        all[joint &+ index] = PrefixCodeEntry(red: first)
        continue
      }
      all[joint &+ index] = PrefixCodeEntry(
        bits: UInt32(truncatingIfNeeded: second.symbol &<< 24 | first.symbol &<< 8 | length) | PrefixCodeEntry.whole)
    }
  }
}
