// The loop that packs symbols.
//
// One lookup is one iteration, whatever its result is, without a branch:
//
//     ┌──▶ root table of green ── a cache color, or a complete literal: a packed symbol ──┐
//     │         └── green ──▶ red and blue ── with green, a packed symbol ────────────────┤
//     └───────────────────────────────────────────────────────────────────────────────────┘
//
// Only copies, long codes and literals with alpha branch. A branch between the other kinds of symbols would be
// unpredictable. A refill suffices for five iterations, because an index has at most ten bits.
//
// Unsafe code: Preconditions check both tables for every value of the mask, and space for two words for each pixel
// of the run. A symbol makes at most two words. The loop counts pixels and ends with the run.
// Plain formula: `PlainLosslessStream` in Tests/TestSupport/LosslessStream.swift.

internal import WebPFormat

extension EntropyDecoder {
  /// Packs the symbols of a run. A copy may extend further.
  ///
  /// - Parameters:
  ///   - start: the state at the start of the run. `words` must have room for `PackedSymbols.wordsPerPixel` words for
  ///     each pixel of the run.
  ///   - end: the column after the run.
  ///   - rowStart: the number of the row's first pixel.
  @inline(never)
  static func packRun(
    _ start: Progress, to end: Int, after rowStart: Int, of pixels: Int, width: Int, _ group: PrefixCodeGroup,
    _ tables: Span<PrefixCodeEntry>, _ words: inout ContiguousArray<UInt32>, _ bytes: Span<UInt8>
  ) throws(BackwardReferenceError) -> Progress {
    var words = words.mutableSpan
    let first = unsafe words.pixels(PackedSymbols.wordsPerPixel &* (end &- start.x), atByte: 4 &* start.count)
    let isOpaque = group.form == .opaque
    let greens = unsafe tables.root(at: group.green, rootBits: group.rootBits)
    let redBlues = unsafe isOpaque ? tables.root(at: group.redBlue, rootBits: group.rootBits) : greens
    let mask = group.mask
    var reader = start.reader
    var alpha = start.alpha
    var out = unsafe first
    // The address at which the run ends if each remaining pixel takes one word. A long copy can move it before the
    // start. Only differences of addresses are compared, because a 32-bit address may exceed `Int.max`.
    var limit = Int(bitPattern: first) &+ 4 &* (end &- start.x)
    var root = unsafe greens
    // The green of a packed literal whose red and blue are read next. Otherwise 0.
    var green: UInt32 = 0
    while limit &- Int(bitPattern: out) > 0 {
      reader.refill(from: bytes)
      var iterations = min(5, (limit &- Int(bitPattern: out)) &>> 2)
      repeat {
        let index = reader.index(mask)
        let lowByte = unsafe root.lowByte(index)
        let entry = unsafe root.entry(index)
        if lowByte.needsSlowPath {
          if unsafe root.lowBytes != greens.lowBytes {
            let colors: UInt32
            (colors, reader) = longRedBlue(entry, group.red, group.blue, tables, reader, bytes)
            unsafe out.store(green | PackedSymbols.literal(colors), 0)
            unsafe out += 4
            unsafe root = greens
            green = 0
            break
          }
          reader.refill(from: bytes)
          let symbol = readSymbol(entry, at: group.green, tables, &reader)
          if symbol >= PrefixCodeGroup.greenSymbols {
            unsafe out.store(PackedSymbols.color(slot: symbol &- PrefixCodeGroup.greenSymbols), 0)
            unsafe out += 4
          } else if symbol >= PrefixCodeGroup.literalSymbols {
            let decoded = rowStart &+ end &- (limit &- Int(bitPattern: out)) &>> 2
            let (length, distance) = try readCopy(
              symbol, after: decoded, of: pixels, width: width, group, tables, &reader, bytes)
            unsafe out.store(PackedSymbols.copy(length), 0)
            unsafe out.store(UInt32(truncatingIfNeeded: distance), 1)
            unsafe out += 8
            limit &+= 8 &- 4 &* length
          } else if isOpaque {
            green = UInt32(truncatingIfNeeded: symbol) &<< 16
            unsafe root = redBlues
          } else {
            let pixel: UInt32
            (pixel, reader) = readLiteral(green: symbol, group, tables, reader, bytes)
            if pixel &>> 24 != alpha {
              alpha = pixel &>> 24
              unsafe out.store(PackedSymbols.alpha(alpha), 0)
              unsafe out += 4
              limit &+= 4
            }
            unsafe out.store(PackedSymbols.literal(pixel), 0)
            unsafe out += 4
          }
          break
        }
        unsafe out.store(entry.word | green, 0)
        reader.drop(lowByte.word)
        unsafe out += Int(lowByte.word &>> 5 & 4)
        unsafe root = lowByte.completesPixel ? greens : redBlues
        green = entry.word & 0xFF_0000 & ~UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: lowByte.word)) &>> 7)
        iterations &-= 1
      } while iterations > 0
    }
    return unsafe Progress(
      reader: reader, x: end &- (limit &- Int(bitPattern: out)) &>> 2, alpha: alpha,
      count: start.count &+ (out - first) &>> 2)
  }
}
