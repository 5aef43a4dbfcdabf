// The five prefix codes of a group (RFC 9649, sections 3.7.1 and 3.7.2.3), as lookup tables.
//
// A pixel is coded as a green symbol. If that is a literal, red, blue and alpha follow. Most pixels have short codes,
// so two lookups suffice: one for green and one for red and blue together. The form of a group determines its lookups:
//
//     constant   no code has bits                  the pixel is constant
//     green      only green has bits               green                        (palettes)
//     opaque     alpha has one value               green ▸ red+blue
//     alpha      all codes have bits               green ▸ red+blue ▸ alpha
//
// If the codes of red and blue are longer than the index of their common table, the separate tables are used. They
// always exist.

internal import WebPFormat

/// The indexes of a group's tables, and the form that selects among them.
struct PrefixCodeGroup {
  enum Form: UInt8 { case constant, green, opaque, alpha }

  /// The number of literals. The prefixes of lengths follow them (section 3.7.2.3).
  static let literalSymbols = 256
  /// The number of green symbols without a color cache. The slots of the color cache follow them.
  static let greenSymbols = 256 + 24
  static let distanceSymbols = 40

  /// The index width of the root tables of red, blue, alpha and distances, in bits.
  static let fixedRootBits = 8
  /// The maximum of `rootBits`.
  static let mostBits = 10

  /// The index width of the root tables of green, and of red and blue together, in bits. `pixels` is the approximate
  /// number of pixels that use the group. If it is small, filling a larger table costs more than it saves.
  private static func rootBits(pixels: Int) -> Int { pixels < fewPixels ? 8 : pixels < 1 << 15 ? 9 : mostBits }
  /// The number of pixels below which a common table of red and blue costs more than it saves.
  private static let fewPixels = 512

  var form = Form.alpha
  /// The channels that have only one value, at their positions in a pixel.
  var constant: UInt32 = 0
  var green = 0
  /// The index width of the root tables of green, and of red and blue together.
  var rootBits = 0
  var red = 0
  var blue = 0
  var alpha = 0
  var distance = 0
  /// The table of red and blue together.
  var redBlue = 0

  /// The indexes of the low bytes of two root tables (see PrefixCodeEntry.swift).
  @inline(__always)
  var greenLowBytes: Int { green &+ 1 &<< rootBits }
  @inline(__always)
  var redBlueLowBytes: Int { redBlue &+ 1 &<< rootBits }
  /// The mask that extracts an index of a root table.
  @inline(__always)
  var mask: UInt64 { 1 &<< UInt64(truncatingIfNeeded: rootBits) &- 1 }

  /// Indicates whether red, blue and alpha have one value each.
  var onlyGreenHasBits: Bool { form == .green || form == .constant }
}

extension PrefixCodeGroup {
  /// Reads a group, and appends its tables.
  ///
  /// - Parameter pixels: the approximate number of pixels that use the group.
  @inline(never)
  init(
    codes: inout PrefixCodeReader, cacheSize: Int, pixels: Int, to tables: inout ContiguousArray<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    rootBits = Self.rootBits(pixels: pixels)
    green = tables.count
    let longestGreen = try codes.readGreenTable(
      symbolCount: Self.greenSymbols + cacheSize, rootBits: rootBits, to: &tables, &reader, bytes)
    tables.fillLowBytes(ofRoot: green, rootBits: rootBits)
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
        if longestGreen == 0, !tables[green].isNotLiteral {
          constant |= tables[green].green
          form = .constant
        }
        return
      }
    }
    if pixels < Self.fewPixels {
      redBlue = codes.sharedRedBlueTable(rootBits: rootBits, in: &tables)
    } else {
      redBlue = tables.count
      tables.appendRoot(.separateLookups, rootBits: rootBits)
      fillRedBlueTable(in: &tables)
      tables.fillLowBytes(ofRoot: redBlue, rootBits: rootBits)
    }
  }

  /// Reads and validates a group that no block uses.
  ///
  /// - Returns: its `onlyGreenHasBits`.
  @inline(never)
  static func skip(
    codes: inout PrefixCodeReader, cacheSize: Int, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) throws(ErrorCause) -> Bool {
    _ = try codes.skipTable(symbolCount: greenSymbols + cacheSize, &reader, bytes)
    var bits = 0
    for _ in 0..<3 { bits |= try codes.skipTable(symbolCount: 256, &reader, bytes) }
    _ = try codes.skipTable(symbolCount: distanceSymbols, &reader, bytes)
    return bits == 0
  }

  /// Fills the table of red and blue together. An entry stores both colors and the length of both codes. If the codes
  /// are longer than the index, it stores only red. If the code of red is longer than the index, it stores neither.
  private func fillRedBlueTable(in tables: inout ContiguousArray<PrefixCodeEntry>) {
    var all = tables.mutableSpan
    for index in 0..<1 &<< rootBits {
      let first = all[red &+ index & 255]
      if first.isNotLiteral { continue }
      let second = all[blue &+ (index &>> first.length) & 255]
      let length = first.length &+ second.length
      if second.isNotLiteral || length > rootBits {
        all[redBlue &+ index] = PrefixCodeEntry(red: first)
        continue
      }
      all[redBlue &+ index] = PrefixCodeEntry(
        word: UInt32(truncatingIfNeeded: second.symbol &<< 24 | first.symbol &<< 8 | length)
          | PrefixCodeEntry.completesPixel)
    }
  }
}

// Preparation of root tables for one of the two symbol loops: the loop that writes pixels or the loop that packs
// symbols.

extension PrefixCodeGroup {
  /// Merges two consecutive colors of the cache with short codes into one entry, so that one lookup decodes both.
  func pairColors(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    defer { tables.fillLowBytes(ofRoot: green, rootBits: rootBits) }
    var tables = tables.mutableSpan
    // The entry of the second color has a lower index. The loop runs downward, so this entry is not a pair yet.
    for index in stride(from: 1 &<< rootBits &- 1, to: 0, by: -1) {
      let first = tables[green &+ index]
      if !first.completesPixel { continue }
      let second = tables[green &+ index &>> first.length]
      if let pair = PrefixCodeEntry(first, second, rootBits: rootBits) { tables[green &+ index] = pair }
    }
  }

  /// Moves literals to their position in packed symbols.
  func prepareForPacking(_ tables: inout ContiguousArray<PrefixCodeEntry>) {
    for index in green..<green + 1 << rootBits where !tables[index].isNotLiteral {
      let literal = tables[index]
      tables[index] =
        form == .green
        ? PrefixCodeEntry(literal, redBlueAlpha: constant) : PrefixCodeEntry(literal, needsSlowPath: form == .alpha)
    }
    tables.fillLowBytes(ofRoot: green, rootBits: rootBits)
  }
}
