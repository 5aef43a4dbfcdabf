// The symbol loop (RFC 9649, section 3.7.2.3): where a lossless picture takes most of its time.
//
// A run of pixels lies in one row and one block, and so has one group of prefix codes. Literals are decoded by a loop
// made for the group's form (PrefixCodeGroup), which reads two or three pixels for each refill of the reader. It comes
// back with the entry of the first symbol that is more than a literal, or a colour of the cache, with a short code.

extension EntropyDecoder {
  /// Decodes symbols until the pixels up to `stop` are there; the last one may go further.
  mutating func decodeSymbols(before stop: Int, _ bytes: Span<UInt8>) throws(LosslessFault) {
    if cache.bits > 0 {
      try Self.decodeWithCache(
        before: stop, at: &place, width: width, height: height, codes, &cache, &ring, ringSize: ringSize, bytes)
    } else {
      try Self.decodeWithoutCache(
        before: stop, at: &place, width: width, height: height, codes, &cache, &ring, ringSize: ringSize, bytes)
    }
  }

  @inline(never)
  private static func decodeWithCache(
    before stop: Int, at place: inout Place, width: Int, height: Int, _ codes: PrefixCodes, _ cache: inout ColorCache,
    _ pixels: inout ContiguousArray<UInt32>, ringSize: Int, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    try decodeSymbols(
      hasCache: true, before: stop, at: &place, width: width, height: height, codes, &cache, &pixels,
      ringSize: ringSize, bytes)
  }

  @inline(never)
  private static func decodeWithoutCache(
    before stop: Int, at place: inout Place, width: Int, height: Int, _ codes: PrefixCodes, _ cache: inout ColorCache,
    _ pixels: inout ContiguousArray<UInt32>, ringSize: Int, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    try decodeSymbols(
      hasCache: false, before: stop, at: &place, width: width, height: height, codes, &cache, &pixels,
      ringSize: ringSize, bytes)
  }

  @inline(__always)
  private static func decodeSymbols(
    hasCache: Bool, before stop: Int, at place: inout Place, width: Int, height: Int, _ codes: PrefixCodes,
    _ cache: inout ColorCache, _ pixels: inout ContiguousArray<UInt32>, ringSize: Int, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    var reader = BitReader(atBit: place.bit, of: bytes)
    var (x, y, rowStart) = (place.x, place.y, place.rowStart)
    defer { place = Place(bit: reader.bit, x: x, y: y, rowStart: rowStart) }

    let tables = codes.tables.span
    let shift = UInt32(truncatingIfNeeded: 32 &- cache.bits)
    var ring = pixels.mutableSpan
    var colors = cache.colors.mutableSpan

    while y &* width &+ x < stop {
      let group = codes.group(x: x, y: y)
      let blockEnd = codes.blockEnd(x: x, width: width)
      if group.form == .constant {
        // No bits, so that `stop`, which may stand for the end of the bits, does not matter.
        for index in rowStart &+ x..<rowStart &+ blockEnd { ring[index] = group.constant }
        if hasCache { colors[ColorCache.slot(of: group.constant, shift: shift)] = group.constant }
        x = blockEnd
      }
      let end = min(blockEnd, stop &- y &* width)
      while x < end {
        var symbol: Int
        if hasCache {
          let found = cachedPixels(
            &ring, rowStart: rowStart, from: &x, to: end, group, tables, &colors, shift: shift, &reader, bytes)
          guard let found else { break }
          symbol = found
        } else {
          let found = literals(&ring, rowStart: rowStart, from: &x, to: end, group, tables, &reader, bytes)
          guard let entry = found else { break }
          symbol = readSymbol(entry, at: group.green, tables, &reader)
        }
        let next = rowStart &+ x
        if !hasCache, symbol < PrefixCodeGroup.lengthSymbols {
          let red = readSymbol(at: group.red, tables, &reader)
          let blue = readSymbol(at: group.blue, tables, &reader)
          reader.refill(from: bytes)
          let alpha = readSymbol(at: group.alpha, tables, &reader)
          let pixel = UInt32(truncatingIfNeeded: red | symbol &<< 8 | blue &<< 16 | alpha &<< 24)
          ring[next] = pixel
          x &+= 1
        } else {
          let length = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.lengthSymbols, &reader)
          let prefix = readSymbol(at: group.distance, tables, &reader)
          reader.refill(from: bytes)
          let code = BackwardReference.value(prefix: prefix, &reader)
          let distance = BackwardReference.distance(code: code, width: width)
          let decoded = y &* width &+ x
          guard distance <= decoded else { throw LosslessFault("copy from before the first pixel") }
          guard length <= width &* height &- decoded else { throw LosslessFault("copy beyond the last pixel") }
          ring.copyPixels(length, distance: distance, to: next, ringSize: ringSize)
          if hasCache, distance > 1 {
            let count = min(length, distance)
            let first = next &+ length &- count
            insertColors(
              count, from: first < ringSize ? first : first &- ringSize, of: ring.span, ringSize: ringSize,
              into: &colors, shift: shift)
          }
          x &+= length
        }
      }

      while x >= width {
        x &-= width
        y &+= 1
        rowStart &+= width
        if rowStart == ringSize { rowStart = 0 }
      }
    }
  }

  /// The colour of the cache in a slot.
  @inline(__always)
  private static func color(slot: Int, _ colors: inout MutableSpan<UInt32>) -> UInt32 {
    let color = colors[slot]
    // It need not be entered; but for the 0 of a slot never written, which belongs into the first. (One branch, never
    // taken in practice: zeros are frequent, and so is the first slot.)
    if (Int64(color) &- 1) & (0 &- Int64(slot)) < 0 { colors[0] = 0 }
    return color
  }

  /// As `literals`, for images with a colour cache: decodes colours of the cache, too, and enters literals.
  ///
  /// - Returns: a length symbol.
  @inline(__always)
  private static func cachedPixels(
    _ ring: inout MutableSpan<UInt32>, rowStart: Int, from x: inout Int, to end: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ colors: inout MutableSpan<UInt32>, shift: UInt32, _ reader: inout BitReader,
    _ bytes: Span<UInt8>
  ) -> Int? {
    let green = tables.extracting(group.green..<group.green &+ 1 &<< group.greenBits)
    let greenMask = 1 as UInt64 &<< UInt64(group.greenBits) &- 1
    let joint = tables.extracting(group.joint..<group.joint &+ 512)
    while true {
      reader.refill(from: bytes)
      var entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
      if entry.isCached {
        reader.drop(entry.bits)
        ring[rowStart &+ x] = color(slot: entry.symbol, &colors)
        x &+= 1
        if x >= end { return nil }
        entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if entry.isCached {
          reader.drop(entry.bits)
          ring[rowStart &+ x] = color(slot: entry.symbol, &colors)
          x &+= 1
          if x >= end { return nil }
          entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
          if entry.isCached {
            reader.drop(entry.bits)
            ring[rowStart &+ x] = color(slot: entry.symbol, &colors)
            x &+= 1
            if x >= end { return nil }
            continue
          }
        }
      }
      var pixel: UInt32
      if !entry.isSpecial {
        reader.drop(entry.bits)
        pixel = entry.bits & 0xFF00
      } else {
        reader.refill(from: bytes)
        let symbol = readSymbol(entry, at: group.green, tables, &reader)
        if symbol >= PrefixCodeGroup.greenSymbols {
          ring[rowStart &+ x] = color(slot: symbol &- PrefixCodeGroup.greenSymbols, &colors)
          x &+= 1
          if x >= end { return nil }
          continue
        }
        if symbol >= PrefixCodeGroup.lengthSymbols { return symbol }
        pixel = UInt32(truncatingIfNeeded: symbol) &<< 8
      }
      pixel |= group.constant
      if group.form != .green { pixel |= redBlue(joint, group, tables, &reader, bytes) }
      if group.form == .alpha {
        pixel |= UInt32(truncatingIfNeeded: readSymbol(at: group.alpha, tables, &reader)) &<< 24
      }
      ring[rowStart &+ x] = pixel
      colors[ColorCache.slot(of: pixel, shift: shift)] = pixel
      x &+= 1
      if x >= end { return nil }
    }
  }

  /// Decodes pixels from `x` on until a special entry is found, which is not yet taken from the reader: at least 56
  /// bits are then there. Nil: `end` is reached.
  @inline(__always)
  private static func literals(
    _ ring: inout MutableSpan<UInt32>, rowStart: Int, from x: inout Int, to end: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) -> PrefixCodeEntry? {
    let green = tables.extracting(group.green..<group.green &+ 1 &<< group.greenBits)
    let greenMask = 1 as UInt64 &<< UInt64(group.greenBits) &- 1
    switch group.form {
    case .constant: return nil

    case .green:
      while true {
        reader.refill(from: bytes)
        let entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if entry.isSpecial { return entry }
        reader.drop(entry.bits)
        ring[rowStart &+ x] = entry.bits & 0xFF00 | group.constant
        x &+= 1
        if x >= end { return nil }
      }

    case .opaque:
      let joint = tables.extracting(group.joint..<group.joint &+ 512)
      while true {
        reader.refill(from: bytes)
        let entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if entry.isSpecial { return entry }
        reader.drop(entry.bits)
        ring[rowStart &+ x] =
          entry.bits & 0xFF00 | group.constant | redBlue(joint, group, tables, &reader, bytes)
        x &+= 1
        if x >= end { return nil }
        // A second pixel: the first took 18 bits, or left 26.
        let second = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if second.isSpecial {
          reader.refill(from: bytes)
          return second
        }
        reader.drop(second.bits)
        ring[rowStart &+ x] =
          second.bits & 0xFF00 | group.constant | redBlue(joint, group, tables, &reader, bytes)
        x &+= 1
        if x >= end { return nil }
      }

    case .alpha:
      let joint = tables.extracting(group.joint..<group.joint &+ 512)
      while true {
        reader.refill(from: bytes)
        let entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if entry.isSpecial { return entry }
        reader.drop(entry.bits)
        let colors = redBlue(joint, group, tables, &reader, bytes)
        let alpha = readSymbol(at: group.alpha, tables, &reader)
        ring[rowStart &+ x] = entry.bits & 0xFF00 | colors | UInt32(truncatingIfNeeded: alpha) &<< 24
        x &+= 1
        if x >= end { return nil }
      }

    case .packed:
      let joint = tables.extracting(group.joint..<group.joint &+ 512)
      let packed = tables.extracting(group.packed..<group.packed &+ 2048)
      while true {
        reader.refill(from: bytes)
        var three = packed[Int(truncatingIfNeeded: reader.window & 2047)]
        if !three.isSpecial {
          reader.drop(three.bits)
          ring[rowStart &+ x] = three.bits &>> 8 | group.constant
          x &+= 1
          if x >= end { return nil }
          three = packed[Int(truncatingIfNeeded: reader.window & 2047)]
          if !three.isSpecial {
            reader.drop(three.bits)
            ring[rowStart &+ x] = three.bits &>> 8 | group.constant
            x &+= 1
            if x >= end { return nil }
            three = packed[Int(truncatingIfNeeded: reader.window & 2047)]
            if !three.isSpecial {
              reader.drop(three.bits)
              ring[rowStart &+ x] = three.bits &>> 8 | group.constant
              x &+= 1
              if x >= end { return nil }
              continue
            }
          }
        }
        let entry = green[Int(truncatingIfNeeded: reader.window & greenMask)]
        if entry.isSpecial {
          reader.refill(from: bytes)
          return entry
        }
        reader.drop(entry.bits)
        ring[rowStart &+ x] =
          entry.bits & 0xFF00 | group.constant | redBlue(joint, group, tables, &reader, bytes)
        x &+= 1
        if x >= end { return nil }
      }
    }
  }

  /// Red and blue in their places. Needs 9 bits in the reader, and leaves 26 if it had to refill it.
  @inline(__always)
  private static func redBlue(
    _ joint: Span<PrefixCodeEntry>, _ group: PrefixCodeGroup, _ tables: Span<PrefixCodeEntry>,
    _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) -> UInt32 {
    let entry = joint[Int(truncatingIfNeeded: reader.window & 511)]
    if !entry.isSpecial {
      reader.drop(entry.bits)
      return entry.bits &>> 8
    }
    let (colors, rest) = longRedBlue(group.red, group.blue, tables, reader, bytes)
    reader = rest
    return colors
  }

  /// Red and blue by themselves. (The reader goes by value, so that it can stay in registers.)
  @inline(never)
  private static func longRedBlue(
    _ red: Int, _ blue: Int, _ tables: Span<PrefixCodeEntry>, _ state: BitReader, _ bytes: Span<UInt8>
  ) -> (UInt32, BitReader) {
    var reader = state
    reader.refill(from: bytes)
    let red = readSymbol(at: red, tables, &reader)
    let blue = readSymbol(at: blue, tables, &reader)
    return (UInt32(truncatingIfNeeded: red | blue &<< 16), reader)
  }

  /// The next symbol of the code whose table starts at `table`. Takes 15 bits at the most.
  @inline(__always)
  static func readSymbol(at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader) -> Int {
    readSymbol(tables[table &+ Int(truncatingIfNeeded: reader.window & 255)], at: table, tables, &reader)
  }

  /// How many bits the next symbol takes, with all that belongs to it.
  func nextSymbolBits(_ bytes: Span<UInt8>) -> Int {
    let tables = codes.tables.span
    let group = codes.group(x: place.x, y: place.y)
    if group.form == .constant { return 0 }
    var reader = BitReader(atBit: place.bit, of: bytes)
    let entry = tables[group.green &+ Int(truncatingIfNeeded: reader.window) & (1 &<< group.greenBits &- 1)]
    if entry.isCached { return entry.length }
    var symbol = 0
    if entry.isSpecial {
      symbol = Self.readSymbol(entry, at: group.green, tables, &reader)
    } else {
      reader.drop(entry.bits)
    }
    if symbol < PrefixCodeGroup.lengthSymbols {
      _ = Self.readSymbol(at: group.red, tables, &reader)
      _ = Self.readSymbol(at: group.blue, tables, &reader)
      reader.refill(from: bytes)
      _ = Self.readSymbol(at: group.alpha, tables, &reader)
    } else if symbol < PrefixCodeGroup.greenSymbols {
      _ = BackwardReference.value(prefix: symbol &- PrefixCodeGroup.lengthSymbols, &reader)
      let prefix = Self.readSymbol(at: group.distance, tables, &reader)
      reader.refill(from: bytes)
      _ = BackwardReference.value(prefix: prefix, &reader)
    }
    return reader.bit &- place.bit
  }

  /// The symbol that a root's entry stands for or leads to.
  @inline(__always)
  static func readSymbol(
    _ entry: PrefixCodeEntry, at table: Int, _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader
  ) -> Int {
    reader.drop(entry.bits)
    if entry.moreBits == 0 { return entry.symbol }
    let more = Int(truncatingIfNeeded: reader.window & (1 &<< entry.moreBits &- 1))
    let last = tables[table &+ entry.offset &+ more]
    reader.drop(last.bits)
    return last.symbol
  }
}
