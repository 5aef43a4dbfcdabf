// Decodes packed symbols into pixels. Between copies the loop is branch-free for literals and cache colors.
//
// Unsafe code: Words, pixels and cache slots are checked before a run of literals, whose number bounds them. A slot
// is masked by the number of slots.
// Plain formula: `PlainLosslessStream` in Tests/TestSupport/LosslessStream.swift.

internal import WebPFormat

extension PixelRing {
  /// Decodes packed symbols into pixels.
  ///
  /// - Parameters:
  ///   - position: the index in the ring of the first pixel.
  ///   - count: the number of pixels to decode. The last symbol may extend further.
  /// - Returns: the number of words used, and of pixels decoded.
  static func unpack(
    _ words: Span<UInt32>, to pixels: inout ContiguousArray<UInt32>, at position: Int, ringSize: Int, count: Int,
    _ colors: inout ContiguousArray<UInt32>, cacheBits: Int, alpha: inout UInt32, pendingInsertions: inout Int
  ) -> (used: Int, decoded: Int) {
    var used = 0
    var left = count
    var ring = pixels.mutableSpan
    var colors = colors.mutableSpan
    let shift = UInt32(truncatingIfNeeded: 32 &- max(1, cacheBits))
    var next = position
    while left > 0, used < words.count {
      let word = words[used]
      let needsSlowPath = PrefixCodeEntry(word: word).needsSlowPath
      // Consecutive copies do not read the cache, so the insertion of their pixels is deferred.
      if pendingInsertions > 0, !needsSlowPath || pendingInsertions > ColorCache.pendingInsertionLimit {
        insertColors(pendingInsertions, before: next, of: ring.span, ringSize: ringSize, into: &colors, shift: shift)
        pendingInsertions = 0
      }
      if !needsSlowPath {
        let room = min(left, ringSize &- next, words.count &- used)
        let done = ring.unpackPixels(room, of: words, from: used, at: next, &colors, shift: shift, alpha: alpha)
        used &+= done
        next &+= done
        left &-= done
      } else if word & 0x3F != 0 {
        alpha = (word &>> 8) &<< 24
        used &+= 1
        continue
      } else {
        let length = Int(word &>> 8)
        let distance = Int(words[used &+ 1])
        used &+= 2
        ring.copyPixels(length, distance: distance, to: next, ringSize: ringSize)
        next &+= length
        left &-= length
        ColorCache.insertCopy(
          length, distance: distance, before: next, of: ring.span, ringSize: ringSize, into: &colors,
          sizeBits: cacheBits, pendingInsertions: &pendingInsertions)
      }
      while next >= ringSize { next &-= ringSize }
    }
    return (used, count &- left)
  }
}

extension MutableSpan<UInt32> {
  /// Decodes literals and cache colors up to the next symbol of another kind.
  ///
  /// - Returns: the number of pixels.
  @inline(__always)
  fileprivate mutating func unpackPixels(
    _ count: Int, of words: Span<UInt32>, from first: Int, at start: Int, _ cache: inout MutableSpan<UInt32>,
    shift: UInt32, alpha: UInt32
  ) -> Int {
    let size = 1 &<< (32 &- Int(shift))
    let source = unsafe words.pixels(count, at: first)
    let target = unsafe pixels(count, atByte: 4 &* start)
    let slots = unsafe cache.pixels(2 &* size, atByte: 0)
    var done = 0
    while done < count {
      let word = unsafe source.pixel(done)
      if PrefixCodeEntry(word: word).needsSlowPath { break }
      // All ones for a color of the cache. A conditional expression would become an unpredictable branch.
      let cached = UInt32(bitPattern: Int32(bitPattern: word &<< 25) &>> 31)
      let literal = word &>> 8 | alpha
      let slot = Int(truncatingIfNeeded: literal) & (size &- 1)
      let pixel = unsafe literal ^ (literal ^ slots.pixel(slot)) & cached
      unsafe target.store(pixel, done)
      // A literal is inserted into the cache. A color of the cache need not be inserted, so its store goes to a dummy
      // slot. An exception is the initial 0 of a slot, which is inserted like any other color. The hash of 0 is slot 0.
      let insertionSlot = ColorCache.slot(of: literal, shift: shift) | Int(truncatingIfNeeded: cached)
      unsafe slots.store(literal, insertionSlot & (2 &* size &- 1))
      if (Int64(pixel) &- 1) & (0 &- Int64(slot)) < 0 { unsafe slots.store(0, 0) }
      done &+= 1
    }
    return done
  }
}
