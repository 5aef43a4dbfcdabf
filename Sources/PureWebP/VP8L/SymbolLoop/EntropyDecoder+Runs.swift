// The symbol loop, which dominates the time of lossless decoding.
//
// The loop over a run is a separate function. It receives the reader by value and returns it, so that the reader stays
// in registers. Copies and rare cases are in other functions.
//
// A lookup loads a low byte (see PrefixCodeEntry.swift), which determines how decoding continues, and an entry. A
// refill provides 56 bits, which suffice for each of these sequences:
//
// - three lookups of cache colors
// - two lookups of cache colors, and a literal with short codes, including alpha
// - two literals without alpha
// - a complete copy

internal import WebPFormat

extension EntropyDecoder {
  @inline(never)
  static func cachedPixels(
    of run: Run, _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>,
    _ colors: inout MutableSpan<UInt32>, _ pendingInsertions: inout Int, _ reader: BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (next: Int, reader: BitReader) {
    try pixels(of: run, hasCache: true, tables, &ring, &colors, &pendingInsertions, reader, bytes)
  }

  @inline(never)
  static func plainPixels(
    of run: Run, _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>,
    _ colors: inout MutableSpan<UInt32>, _ pendingInsertions: inout Int, _ reader: BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (next: Int, reader: BitReader) {
    try pixels(of: run, hasCache: false, tables, &ring, &colors, &pendingInsertions, reader, bytes)
  }

  /// Decodes a run.
  ///
  /// - Returns: the index of the next pixel.
  @inline(__always)
  private static func pixels(
    of run: Run, hasCache: Bool, _ tables: Span<PrefixCodeEntry>, _ completeRing: inout MutableSpan<UInt32>,
    _ cache: inout MutableSpan<UInt32>, _ pendingInsertions: inout Int, _ state: BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (next: Int, reader: BitReader) {
    var reader = state
    var next = run.start
    // Local copies, because values accessed through `inout` or a struct would be loaded in each iteration.
    let (end, group) = (run.end, run.group)
    let form = group.form
    let constant = group.constant
    // All root tables are accessed with the maximum size, which is constant, so that the compiler removes bounds
    // checks.
    let mask = group.mask & (1 &<< UInt64(PrefixCodeGroup.mostBits) &- 1)
    let size = 1 &<< PrefixCodeGroup.mostBits
    let greens = tables.extracting(group.green..<group.green &+ size)
    let redBlues = tables.extracting(group.redBlue..<group.redBlue &+ size)
    let greenLowBytes = tables.extracting(group.greenLowBytes..<group.greenLowBytes &+ size &>> 2)
    let redBlueLowBytes = tables.extracting(group.redBlueLowBytes..<group.redBlueLowBytes &+ size &>> 2)
    precondition(greens.count == size && redBlues.count == size)
    precondition(greenLowBytes.count == size &>> 2 && redBlueLowBytes.count == size &>> 2)
    let shift = run.extent.cacheShift

    while next < end {
      // The length symbol of the next copy. 0 if the inner loop has to search for it.
      var lengthSymbol = 0
      if hasCache, pendingInsertions > 0 {
        // Consecutive copies do not read the cache, so the insertion of their pixels is deferred. The reader has at
        // least 13 bits after a copy.
        let entry = greens[reader.index(mask)]
        if entry.isLength, pendingInsertions <= ColorCache.pendingInsertionLimit {
          reader.drop(entry.word)
          lengthSymbol = entry.symbol
        } else {
          flushPending(pendingInsertions, before: next, of: run.extent, completeRing.span, &cache)
          pendingInsertions = 0
        }
      }
      if lengthSymbol == 0 {
        var ring = completeRing
        var colors = cache
        while next < end {
          reader.refill(from: bytes)
          var index = reader.index(mask)
          var lowByte = greenLowBytes.lowByte(index)
          if hasCache {
            if lowByte.completesPixel {
              if next &+ 1 >= end {
                let entry = greens[index]
                reader.drop(UInt32(truncatingIfNeeded: entry.firstLength))
                ring[next] = color(slot: entry.slot, &colors)
                next &+= 1
                break
              }
              next &+= storeColors(lowByte, greens[index], at: next, &ring, &colors, &reader)
              if next &+ 1 >= end { continue }
              index = reader.index(mask)
              lowByte = greenLowBytes.lowByte(index)
              if lowByte.completesPixel {
                next &+= storeColors(lowByte, greens[index], at: next, &ring, &colors, &reader)
                if next &+ 1 >= end { continue }
                index = reader.index(mask)
                lowByte = greenLowBytes.lowByte(index)
                if lowByte.completesPixel {
                  next &+= storeColors(lowByte, greens[index], at: next, &ring, &colors, &reader)
                  continue
                }
              }
            }
          }
          if !hasCache, form == .opaque, !lowByte.isNotLiteral {
            // After this literal, at least 26 bits are left, which suffice for another literal or for a long green
            // code.
            reader.drop(lowByte.word)
            ring[next] =
              greens[index].green | constant
              | redAndBlue(redBlues, redBlueLowBytes, mask, group, tables, &reader, bytes)
            next &+= 1
            if next >= end { continue }
            index = reader.index(mask)
            lowByte = greenLowBytes.lowByte(index)
          }
          var pixel: UInt32
          if !lowByte.isNotLiteral {
            reader.drop(lowByte.word)
            pixel = greens[index].green
          } else {
            let symbol = readSymbol(greens[index], at: group.green, tables, &reader)
            if hasCache, symbol >= PrefixCodeGroup.greenSymbols {
              ring[next] = color(slot: symbol &- PrefixCodeGroup.greenSymbols, &colors)
              next &+= 1
              continue
            }
            if symbol >= PrefixCodeGroup.literalSymbols {
              lengthSymbol = symbol
              break
            }
            reader.refill(from: bytes)
            pixel = UInt32(truncatingIfNeeded: symbol) &<< 8
          }
          pixel |= constant
          if form != .green { pixel |= redAndBlue(redBlues, redBlueLowBytes, mask, group, tables, &reader, bytes) }
          if form == .alpha {
            pixel |= UInt32(truncatingIfNeeded: readSymbol(at: group.alpha, tables, &reader)) &<< 24
          }
          ring[next] = pixel
          if hasCache { colors[ColorCache.slot(of: pixel, shift: shift)] = pixel }
          next &+= 1
        }
        completeRing = ring
        cache = colors
        if next >= end { break }
      }
      let length: Int
      (length, reader) = try copy(
        lengthSymbol, to: next, in: run, tables, &completeRing, &cache, &pendingInsertions, reader, bytes)
      next &+= length
    }
    return (next, reader)
  }

  /// Reads red and blue, and returns them at their positions in a pixel.
  @inline(__always)
  private static func redAndBlue(
    _ redBlues: Span<PrefixCodeEntry>, _ lowBytes: Span<PrefixCodeEntry>, _ mask: UInt64, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ reader: inout BitReader, _ bytes: Span<UInt8>
  ) -> UInt32 {
    let index = reader.index(mask)
    let lowByte = lowBytes.lowByte(index)
    let entry = redBlues[index]
    if !lowByte.isNotLiteral {
      reader.drop(lowByte.word)
      return entry.word &>> 8
    }
    let colors: UInt32
    (colors, reader) = longRedBlue(entry, group.red, group.blue, tables, reader, bytes)
    return colors
  }

  /// Writes the one or two cache colors of an entry. There must be room for two.
  ///
  /// - Returns: the number of colors.
  @inline(__always)
  private static func storeColors(
    _ lowByte: PrefixCodeEntry, _ entry: PrefixCodeEntry, at next: Int, _ ring: inout MutableSpan<UInt32>,
    _ colors: inout MutableSpan<UInt32>, _ reader: inout BitReader
  ) -> Int {
    reader.drop(lowByte.word)
    ring[next] = color(slot: entry.slot, &colors)
    ring[next &+ 1] = color(slot: entry.secondSlot, &colors)
    return 1 &+ entry.moreColors
  }

  /// The color in a slot of the cache.
  @inline(__always)
  private static func color(slot: Int, _ colors: inout MutableSpan<UInt32>) -> UInt32 {
    let color = colors[slot]
    // A color of the cache need not be inserted. An exception is the initial 0 of a slot, which is inserted like any
    // other color. The hash of 0 is slot 0, so nothing must be inserted if the 0 is from slot 0. A single branch, which
    // is almost never taken, detects a 0 from another slot.
    if (Int64(color) &- 1) & (0 &- Int64(slot)) < 0 { colors[0] = 0 }
    return color
  }
}
