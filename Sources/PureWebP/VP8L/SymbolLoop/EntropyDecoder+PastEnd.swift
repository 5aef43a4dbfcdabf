// What libwebp makes of an alpha chunk whose data end within the very last symbol: it accepts it. That is, where the
// decoding into bytes applies (PrefixCodes.onlyGreenHasBits), and where the symbol's pixels are the last.
//
// Which pixels these are depends on its reader, which holds the last 64 bits, and a count of those that were read:
//
//     0                              count        64
//   ├─ read ─────────────────────────┼─ left ──────┤
//
// Bits are zero where they are looked for past the 64; but a look-up that starts there starts from the beginning
// again, as shifting by 64 is shifting by 0. Reading extra bits notices the end, and then the count is 0 and further
// extra bits are 0. Prefix codes are looked up by eight bits, then the rest.

extension EntropyDecoder {
  /// Decodes the picture's last symbol, for which the bits do not suffice, as libwebp does.
  ///
  /// - Returns: false where the symbol is not the last, or makes no sense.
  mutating func decodeLastSymbol(
    into ring: inout PixelRing, _ bytes: Span<UInt8>, endBit: Int
  ) -> Bool {
    var last = LastBits(
      window: bytes.paddedLittleEndian(at: endBit / 8 - 8), count: UInt64(64 - (endBit - place.bit)))
    let tables = codes.tables
    let group = codes.group(x: place.x, y: place.y)
    let ringSize = ring.rows.size
    let target = place.y * width % ringSize + place.x
    let left = width * height - (place.y * width + place.x)

    let symbol = last.symbol(tables.span, at: group.green, rootBits: group.bits, isGreen: true)
    if symbol < PrefixCodeGroup.lengthSymbols {
      guard left == 1 else { return false }
      ring.rows.pixels[target] = group.constant | UInt32(truncatingIfNeeded: symbol) << 8
    } else {
      let length = last.value(prefix: symbol - PrefixCodeGroup.lengthSymbols)
      let prefix = last.symbol(tables.span, at: group.distance, rootBits: PrefixCodeGroup.rootBits, isGreen: false)
      last.noticeEnd()
      let distance = BackwardReference.distance(code: last.value(prefix: prefix), width: width)
      guard length == left, distance <= width * height - left else { return false }
      var pixels = ring.rows.pixels.mutableSpan
      pixels.copyPixels(length, distance: distance, to: target, ringSize: ringSize)
    }
    place.x = 0
    place.y = height
    return true
  }
}

/// libwebp's reader when it has loaded all bytes.
private struct LastBits {
  let window: UInt64
  var count: UInt64
  var isAtEnd = false

  mutating func noticeEnd() {
    guard count > 64 else { return }
    isAtEnd = true
    count = 0
  }

  /// Looks a symbol up. A green root has literals in another form.
  mutating func symbol(_ tables: Span<PrefixCodeEntry>, at table: Int, rootBits: Int, isGreen: Bool) -> Int {
    let bits = window &>> count & 0xFF | (window &>> (count + 8) & 0xFF) << 8
    let entry = tables[table + Int(bits) & (1 << rootBits - 1)]
    if isGreen, !entry.isSpecial {
      count += UInt64(entry.length)
      return Int(entry.green >> 8)
    }
    var reader = BitReader(window: bits)
    let symbol = EntropyDecoder.readSymbol(entry, at: table, tables, &reader)
    count += UInt64(reader.bit)
    return symbol
  }

  /// The number with this prefix code.
  mutating func value(prefix: Int) -> Int {
    guard prefix >= 4 else { return prefix + 1 }
    let extraBits = (prefix - 2) >> 1
    var extra = 0
    if !isAtEnd {
      extra = Int(window &>> count & (1 << UInt64(extraBits) - 1))
      count += UInt64(extraBits)
      noticeEnd()
    }
    return (2 + prefix & 1) << extraBits + extra + 1
  }
}
