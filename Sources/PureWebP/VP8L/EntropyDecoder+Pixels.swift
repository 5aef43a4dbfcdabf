// The symbol loop (RFC 9649, section 3.7.2.3): where a lossless picture takes most of its time.
//
// A run of pixels lies in one row and in blocks that have the same group of prefix codes. The loop that decodes a run
// is a function of its own, which gets the reader by value and gives it back: so the reader stays in registers. Copies,
// and what is rare, are functions again.
//
// A refill gives 54 bits. They suffice for three look-ups of colours of the cache, or for two of these and a literal with
// short codes, alpha among them; or for all of a copy.

extension EntropyDecoder {
  /// Decodes symbols until the pixels up to `stop` are there; the last one may go further.
  mutating func decodePixels(
    before stop: Int, into ring: inout PixelRing, _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    let extent = Extent(
      width: width, count: width * height, ringSize: ring.rows.size, cacheBits: ring.cache.bits)
    try Self.decodePixels(
      before: stop, at: &place, of: extent, codes, &ring.cache.colors, &ring.rows.pixels,
      unentered: &ring.unentered, bytes)
  }

  /// What a copy has to know of the picture.
  private struct Extent {
    let width: Int
    /// How many pixels there are.
    let count: Int
    let ringSize: Int
    let cacheBits: Int
    var cacheShift: UInt32 { UInt32(truncatingIfNeeded: 32 &- cacheBits) }
  }

  private static func decodePixels(
    before stop: Int, at place: inout Place, of extent: Extent, _ codes: PrefixCodes,
    _ cache: inout ContiguousArray<UInt32>, _ pixels: inout ContiguousArray<UInt32>, unentered lastUnentered: inout Int,
    _ bytes: Span<UInt8>
  ) throws(LosslessFault) {
    let width = extent.width
    var reader = BitReader(atBit: place.bit, of: bytes)
    var (x, y, unentered) = (place.x, place.y, lastUnentered)
    defer {
      (place.bit, place.x, place.y) = (reader.bit, x, y)
      lastUnentered = unentered
    }
    // Where row `y` starts in the ring.
    var rowStart = y &* width % extent.ringSize
    let tables = codes.tables.span
    var ring = pixels.mutableSpan
    var colors = cache.mutableSpan

    while y &* width &+ x < stop {
      let (group, runEnd) = codes.run(x: x, y: y, width: width)
      if group.form == .constant {
        // No bits, so that `stop`, which may stand for the end of the bits, does not matter.
        for index in rowStart &+ x..<rowStart &+ runEnd { ring[index] = group.constant }
        if extent.cacheBits > 0 {
          unentered &+= runEnd &- x
          enterLate(unentered, before: rowStart &+ runEnd, of: extent, ring.span, &colors)
          unentered = 0
        }
        x = runEnd
      }
      let end = min(runEnd, stop &- y &* width)
      if x < end {
        let (start, stop) = (rowStart &+ x, rowStart &+ end)
        // What a place in the ring is less than the pixel's number.
        let offset = y &* width &- rowStart
        let next: Int
        do throws(CopyFault) {
          if extent.cacheBits > 0 {
            (next, reader) = try cachedPixels(
              from: start, to: stop, of: extent, offset: offset, group, tables, &ring, &colors, &unentered, reader,
              bytes)
          } else {
            (next, reader) = try plainPixels(
              from: start, to: stop, of: extent, offset: offset, group, tables, &ring, &colors, &unentered, reader,
              bytes)
          }
        } catch {
          reader = error.reader
          throw error.fault
        }
        x = next &- rowStart
      }
      while x >= width {
        x &-= width
        y &+= 1
        rowStart &+= width
        if rowStart == extent.ringSize { rowStart = 0 }
      }
    }
  }

  @inline(never)
  private static func cachedPixels(
    from start: Int, to end: Int, of extent: Extent, offset: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>, _ colors: inout MutableSpan<UInt32>,
    _ unentered: inout Int, _ reader: BitReader, _ bytes: Span<UInt8>
  ) throws(CopyFault) -> (next: Int, reader: BitReader) {
    try pixels(
      hasCache: true, from: start, to: end, of: extent, offset: offset, group, tables, &ring, &colors, &unentered,
      reader, bytes)
  }

  @inline(never)
  private static func plainPixels(
    from start: Int, to end: Int, of extent: Extent, offset: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>, _ colors: inout MutableSpan<UInt32>,
    _ unentered: inout Int, _ reader: BitReader, _ bytes: Span<UInt8>
  ) throws(CopyFault) -> (next: Int, reader: BitReader) {
    try pixels(
      hasCache: false, from: start, to: end, of: extent, offset: offset, group, tables, &ring, &colors, &unentered,
      reader, bytes)
  }

  /// Decodes a run.
  ///
  /// - Parameters:
  ///   - start: where in the ring the first pixel goes.
  ///   - end: where the run ends; a copy may go further.
  ///   - offset: by how much a pixel's number is more than its place in the ring.
  /// - Returns: where the next pixel goes.
  @inline(__always)
  private static func pixels(
    hasCache: Bool, from start: Int, to end: Int, of extent: Extent, offset: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ wholeRing: inout MutableSpan<UInt32>, _ cache: inout MutableSpan<UInt32>,
    _ unentered: inout Int, _ state: BitReader, _ bytes: Span<UInt8>
  ) throws(CopyFault) -> (next: Int, reader: BitReader) {
    var reader = state
    var next = start
    // What the loop needs is copied, tables and all: behind `inout` or in a struct it would be loaded each time.
    let form = group.form
    let constant = group.constant
    let greenMask = group.greenMask & PrefixCodeGroup.largestGreenMask
    let green = tables.extracting(group.green..<group.green &+ PrefixCodeGroup.largestGreenRoot)
    let joint = tables.extracting(group.joint..<group.joint &+ 1 &<< PrefixCodeGroup.jointBits)
    precondition(green.count == PrefixCodeGroup.largestGreenRoot && joint.count == 1 &<< PrefixCodeGroup.jointBits)
    let shift = extent.cacheShift

    while next < end {
      var symbol = 0
      if hasCache, unentered > 0 {
        // Between two copies nobody asks for a colour.
        reader.refill(from: bytes)
        let entry = green.entry(atByte: reader.place(greenMask))
        if entry.isLength, unentered <= ColorCache.longestWait {
          reader.drop(entry.bits)
          symbol = entry.symbol
        } else {
          enterLate(unentered, before: next, of: extent, wholeRing.span, &cache)
          unentered = 0
        }
      }
      if symbol == 0 {
        var ring = wholeRing
        var colors = cache
        while next < end {
          reader.refill(from: bytes)
          var entry = green.entry(atByte: reader.place(greenMask))
          if hasCache {
            if entry.isWhole {
              if next &+ 1 >= end {
                reader.drop(UInt32(truncatingIfNeeded: entry.firstLength))
                ring[next] = color(slot: entry.slot, &colors)
                next &+= 1
                break
              }
              next &+= storeColors(entry, at: next, &ring, &colors, &reader)
              if next &+ 1 >= end { continue }
              entry = green.entry(atByte: reader.place(greenMask))
              if entry.isWhole {
                next &+= storeColors(entry, at: next, &ring, &colors, &reader)
                if next &+ 1 >= end { continue }
                entry = green.entry(atByte: reader.place(greenMask))
                if entry.isWhole {
                  next &+= storeColors(entry, at: next, &ring, &colors, &reader)
                  continue
                }
              }
            }
          }
          var pixel: UInt32
          if !entry.isSpecial {
            reader.drop(entry.bits)
            pixel = entry.green
          } else {
            symbol = readSymbol(entry, at: group.green, tables, &reader)
            if hasCache, symbol >= PrefixCodeGroup.greenSymbols {
              ring[next] = color(slot: symbol &- PrefixCodeGroup.greenSymbols, &colors)
              next &+= 1
              continue
            }
            if symbol >= PrefixCodeGroup.lengthSymbols { break }
            reader.refill(from: bytes)
            pixel = UInt32(truncatingIfNeeded: symbol) &<< 8
          }
          pixel |= constant
          if form != .green {
            let entry = joint.entry(atByte: reader.place(PrefixCodeGroup.jointMask))
            if !entry.isSpecial {
              reader.drop(entry.bits)
              pixel |= entry.bits &>> 8
            } else {
              let colors: UInt32
              (colors, reader) = longRedBlue(entry, group.red, group.blue, tables, reader, bytes)
              pixel |= colors
            }
          }
          if form == .alpha {
            pixel |= UInt32(truncatingIfNeeded: readSymbol(at: group.alpha, tables, &reader)) &<< 24
          }
          ring[next] = pixel
          if hasCache { colors[ColorCache.slot(of: pixel, shift: shift)] = pixel }
          next &+= 1
        }
        wholeRing = ring
        cache = colors
        if next >= end { break }
      }
      let length: Int
      (length, reader) = try copy(
        symbol, to: next, of: extent, offset: offset, group, tables, &wholeRing, &cache, &unentered, reader, bytes)
      next &+= length
    }
    return (next, reader)
  }

  /// Reads the rest of a copy, and does it.
  @inline(never)
  private static func copy(
    _ symbol: Int, to next: Int, of extent: Extent, offset: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>, _ colors: inout MutableSpan<UInt32>,
    _ unentered: inout Int, _ state: BitReader, _ bytes: Span<UInt8>
  ) throws(CopyFault) -> (length: Int, reader: BitReader) {
    var reader = state
    let (length, distance) = try readCopy(
      symbol, behind: next &+ offset, of: extent.count, width: extent.width, group, tables, &reader, bytes)
    if length == 1, unentered == 0 {
      // Encoders do not write these; files that are made to take long have millions.
      let pixel = ring[distance <= next ? next &- distance : next &- distance &+ extent.ringSize]
      ring[next] = pixel
      if extent.cacheBits > 0 { colors[ColorCache.slot(of: pixel, shift: extent.cacheShift)] = pixel }
      return (1, reader)
    }
    ring.copyPixels(length, distance: distance, to: next, ringSize: extent.ringSize)
    ColorCache.enterCopy(
      length, distance: distance, before: next &+ length, of: ring.span, ringSize: extent.ringSize, into: &colors,
      bits: extent.cacheBits, unentered: &unentered)
    return (length, reader)
  }

  /// Enters the last pixels in the cache.
  @inline(never)
  private static func enterLate(
    _ count: Int, before next: Int, of extent: Extent, _ ring: Span<UInt32>, _ colors: inout MutableSpan<UInt32>
  ) {
    insertColors(count, before: next, of: ring, ringSize: extent.ringSize, into: &colors, shift: extent.cacheShift)
  }

  /// Takes an entry's colour of the cache, or two; there must be room for two.
  ///
  /// - Returns: how many.
  @inline(__always)
  private static func storeColors(
    _ entry: PrefixCodeEntry, at next: Int, _ ring: inout MutableSpan<UInt32>, _ colors: inout MutableSpan<UInt32>,
    _ reader: inout BitReader
  ) -> Int {
    reader.drop(entry.bits)
    ring[next] = color(slot: entry.slot, &colors)
    ring[next &+ 1] = color(slot: entry.secondSlot, &colors)
    return 1 &+ entry.isPair
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
}
