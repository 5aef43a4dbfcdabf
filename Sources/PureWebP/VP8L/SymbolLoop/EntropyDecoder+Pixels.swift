// The iteration over the pixels of a lossless image (RFC 9649, section 3.7.2.3), and backward references. Pixels are
// decoded in runs. A run is a part of one row whose blocks have the same prefix code group.

internal import WebPFormat

extension EntropyDecoder {
  /// Decodes symbols until all pixels before `stop` are decoded. The last symbol may extend further.
  mutating func decodePixels(
    before stop: Int, into ring: inout PixelRing, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    let extent = Extent(
      width: width, count: width * height, ringSize: ring.rows.size, cacheBits: ring.cache.sizeBits)
    try Self.decodePixels(
      before: stop, at: &position, of: extent, codes, &ring.cache.colors, &ring.rows.pixels,
      pendingInsertions: &ring.pendingInsertions, bytes)
  }

  /// The properties of the image that a copy depends on.
  struct Extent {
    let width: Int
    /// The number of pixels.
    let count: Int
    let ringSize: Int
    let cacheBits: Int
    var cacheShift: UInt32 { UInt32(truncatingIfNeeded: 32 &- cacheBits) }
  }

  /// A part of one row whose pixels have the same prefix code group.
  struct Run {
    /// The index in the ring of the first pixel.
    let start: Int
    /// The index after the run. A copy may extend further.
    let end: Int
    /// The difference between a pixel's number and its index in the ring.
    let offset: Int
    let group: PrefixCodeGroup
    let extent: Extent
  }

  private static func decodePixels(
    before stop: Int, at position: inout Position, of extent: Extent, _ codes: PrefixCodes,
    _ cache: inout ContiguousArray<UInt32>, _ pixels: inout ContiguousArray<UInt32>,
    pendingInsertions storedInsertions: inout Int, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    let width = extent.width
    var reader = BitReader(atBit: position.bit, of: bytes)
    var (x, y, pendingInsertions) = (position.x, position.y, storedInsertions)
    defer {
      (position.bit, position.x, position.y) = (reader.bit, x, y)
      storedInsertions = pendingInsertions
    }
    // The index in the ring of the first pixel of row `y`.
    var rowStart = y &* width % extent.ringSize
    let tables = codes.tables.span
    var ring = pixels.mutableSpan
    var colors = cache.mutableSpan

    while y &* width &+ x < stop {
      let (group, runEnd) = codes.run(x: x, y: y, width: width)
      if group.form == .constant {
        // These pixels have no bits. So `stop`, which may represent the end of the bits, does not apply.
        for index in rowStart &+ x..<rowStart &+ runEnd { ring[index] = group.constant }
        if extent.cacheBits > 0 {
          pendingInsertions &+= runEnd &- x
          flushPending(pendingInsertions, before: rowStart &+ runEnd, of: extent, ring.span, &colors)
          pendingInsertions = 0
        }
        x = runEnd
      }
      let end = min(runEnd, stop &- y &* width)
      if x < end {
        let run = Run(
          start: rowStart &+ x, end: rowStart &+ end, offset: y &* width &- rowStart, group: group, extent: extent)
        let next: Int
        do throws(BackwardReferenceError) {
          if extent.cacheBits > 0 {
            (next, reader) = try cachedPixels(
              of: run, tables, &ring, &colors, &pendingInsertions, reader, bytes)
          } else {
            (next, reader) = try plainPixels(
              of: run, tables, &ring, &colors, &pendingInsertions, reader, bytes)
          }
        } catch {
          reader = error.reader
          throw error.cause
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

  /// Reads the rest of a backward reference, and copies the pixels.
  @inline(never)
  static func copy(
    _ symbol: Int, to next: Int, in run: Run, _ tables: Span<PrefixCodeEntry>, _ ring: inout MutableSpan<UInt32>,
    _ colors: inout MutableSpan<UInt32>, _ pendingInsertions: inout Int, _ state: BitReader, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> (length: Int, reader: BitReader) {
    var reader = state
    let extent = run.extent
    let (length, distance) = try readCopy(
      symbol, after: next &+ run.offset, of: extent.count, width: extent.width, run.group, tables, &reader, bytes)
    if length == 1, pendingInsertions == 0 {
      // Encoders do not write copies of length 1. A malicious file may contain millions, so they have a fast path.
      let pixel = ring[distance <= next ? next &- distance : next &- distance &+ extent.ringSize]
      ring[next] = pixel
      if extent.cacheBits > 0 { colors[ColorCache.slot(of: pixel, shift: extent.cacheShift)] = pixel }
      return (1, reader)
    }
    ring.copyPixels(length, distance: distance, to: next, ringSize: extent.ringSize)
    ColorCache.insertCopy(
      length, distance: distance, before: next &+ length, of: ring.span, ringSize: extent.ringSize, into: &colors,
      sizeBits: extent.cacheBits, pendingInsertions: &pendingInsertions)
    return (length, reader)
  }

  /// Inserts the last `count` pixels into the color cache.
  @inline(never)
  static func flushPending(
    _ count: Int, before next: Int, of extent: Extent, _ ring: Span<UInt32>, _ colors: inout MutableSpan<UInt32>
  ) {
    insertColors(count, before: next, of: ring, ringSize: extent.ringSize, into: &colors, shift: extent.cacheShift)
  }
}
