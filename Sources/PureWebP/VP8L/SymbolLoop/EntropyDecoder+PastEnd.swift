// libwebp's behavior for an ALPH chunk whose data end within the very last symbol: libwebp accepts it. This applies
// only if libwebp decodes into 8-bit samples (`LosslessParser.usesEightBitAlphaPath`) and if the symbol produces the
// last pixels.
//
// The pixels depend on libwebp's reader. It stores the last 64 bits and the number of bits that were read:
//
//     0                              count        64
//     ├─ read ─────────────────────────┼─ left ──────┤
//
// Bits past the 64 are zeros. However, a lookup that begins past them uses the window from its beginning again, because
// a shift by 64 is a shift by 0. When libwebp reads extra bits, it detects the end: the count becomes 0, and further
// extra bits are 0. libwebp looks up a prefix code by its first eight bits, and then by the rest.

internal import WebPFormat

extension EntropyDecoder {
  /// Decodes the last symbol of the image as libwebp does if its bits are incomplete.
  ///
  /// - Returns: false if the symbol is not the last, or is invalid.
  mutating func decodeLastSymbol(
    into ring: inout PixelRing, _ bytes: Span<UInt8>, endBit: Int
  ) -> Bool {
    var last = LastBits(
      window: bytes.paddedLittleEndian(at: endBit / 8 - 8), count: UInt64(64 - (endBit - position.bit)))
    let tables = codes.tables
    let group = codes.group(x: position.x, y: position.y)
    let ringSize = ring.rows.size
    let target = position.y * width % ringSize + position.x
    let left = width * height - (position.y * width + position.x)

    let symbol = last.symbol(tables.span, at: group.green, rootBits: group.rootBits, isGreen: true)
    if symbol < PrefixCodeGroup.literalSymbols {
      guard left == 1 else { return false }
      ring.rows.pixels[target] = group.constant | UInt32(truncatingIfNeeded: symbol) << 8
    } else {
      let length = last.value(prefix: symbol - PrefixCodeGroup.literalSymbols)
      let prefix = last.symbol(tables.span, at: group.distance, rootBits: PrefixCodeGroup.fixedRootBits, isGreen: false)
      last.noticeEnd()
      let distance = BackwardReference.distance(code: last.value(prefix: prefix), width: width)
      guard length == left, distance <= width * height - left else { return false }
      var pixels = ring.rows.pixels.mutableSpan
      pixels.copyPixels(length, distance: distance, to: target, ringSize: ringSize)
    }
    position.x = 0
    position.y = height
    return true
  }
}

/// The state of libwebp's reader after it has loaded all bytes.
private struct LastBits {
  let window: UInt64
  var count: UInt64
  var isAtEnd = false

  mutating func noticeEnd() {
    guard count > 64 else { return }
    isAtEnd = true
    count = 0
  }

  /// Reads a symbol. In a root table of green, literals have a different layout.
  mutating func symbol(_ tables: Span<PrefixCodeEntry>, at table: Int, rootBits: Int, isGreen: Bool) -> Int {
    let bits = window &>> count & 0xFF | (window &>> (count + 8) & 0xFF) << 8
    let entry = tables[table + Int(bits) & (1 << rootBits - 1)]
    if isGreen, !entry.isNotLiteral {
      count += UInt64(entry.length)
      return Int(entry.green >> 8)
    }
    var reader = BitReader(window: bits)
    let symbol = EntropyDecoder.readSymbol(entry, at: table, tables, &reader)
    count += UInt64(reader.bit)
    return symbol
  }

  /// Reads the extra bits after a prefix symbol, and returns the number that both represent.
  mutating func value(prefix: Int) -> Int {
    BackwardReference.value(prefix: prefix) { extraBits in
      if isAtEnd { return 0 }
      let extra = Int(window &>> count & (1 << UInt64(extraBits) - 1))
      count += UInt64(extraBits)
      noticeEnd()
      return extra
    }
  }
}
