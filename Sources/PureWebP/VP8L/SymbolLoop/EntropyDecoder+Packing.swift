// The packing of symbols, which another thread decodes into pixels. `PackedSymbols` describes their format.
// EntropyDecoder+Pixels.swift defines runs.

internal import WebPFormat

extension EntropyDecoder {
  /// The state of the loop: the position in the bitstream and in the packed symbols.
  struct Progress {
    var reader: BitReader
    var x: Int
    /// The alpha of the last packed literal.
    var alpha: UInt32
    /// The number of packed symbols.
    var count: Int
  }

  /// Packs symbols until all pixels before `stop` are covered. The last symbol may extend further.
  mutating func packSymbols(
    before stop: Int, into symbols: inout PackedSymbols, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    try Self.packSymbols(
      before: stop, at: &position, width: width, pixels: width * height, codes, into: &symbols.words,
      count: &symbols.count, bytes)
  }

  private static func packSymbols(
    before stop: Int, at position: inout Position, width: Int, pixels: Int, _ codes: PrefixCodes,
    into words: inout ContiguousArray<UInt32>, count: inout Int, _ bytes: Span<UInt8>
  ) throws(ErrorCause) {
    var now = Progress(
      reader: BitReader(atBit: position.bit, of: bytes), x: position.x, alpha: position.alpha, count: count)
    var y = position.y
    defer {
      position = Position(bit: now.reader.bit, x: now.x, y: y, alpha: now.alpha)
      count = now.count
    }
    while y &* width &+ now.x < stop {
      let (group, runEnd) = codes.run(x: now.x, y: y, width: width)
      // A constant group has no bits. So `stop`, which may represent the end of the bits, does not apply.
      let end = group.form == .constant ? runEnd : min(runEnd, stop &- y &* width)
      let missing = now.count &+ PackedSymbols.wordsPerPixel &* (end &- now.x) &+ 1 &- words.count
      if missing > 0 { words.append(contentsOf: repeatElement(0, count: missing)) }
      if group.form != .alpha, now.alpha != group.constant &>> 24 {
        now.alpha = group.constant &>> 24
        words[now.count] = PackedSymbols.alpha(now.alpha)
        now.count &+= 1
      }
      if group.form == .constant {
        repeatPixel(group.constant, to: end, &now, &words)
      } else {
        do throws(BackwardReferenceError) {
          now = try packRun(
            now, to: end, after: y &* width, of: pixels, width: width, group, codes.tables.span, &words, bytes)
        } catch {
          now.reader = error.reader
          throw error.cause
        }
      }
      while now.x >= width {
        now.x &-= width
        y &+= 1
      }
    }
  }

  /// Appends a literal, and copies of it.
  private static func repeatPixel(
    _ pixel: UInt32, to end: Int, _ now: inout Progress, _ words: inout ContiguousArray<UInt32>
  ) {
    words[now.count] = PackedSymbols.literal(pixel)
    now.count &+= 1
    now.x &+= 1
    while now.x < end {
      let length = min(end &- now.x, BackwardReference.longest)
      words[now.count] = PackedSymbols.copy(length)
      words[now.count &+ 1] = 1
      now.count &+= 2
      now.x &+= length
    }
  }

  /// Reads red, blue and alpha with separate lookups. The reader is passed by value so that it stays in registers.
  @inline(never)
  static func readLiteral(
    green: Int, _ group: PrefixCodeGroup, _ tables: Span<PrefixCodeEntry>, _ state: BitReader, _ bytes: Span<UInt8>
  ) -> (pixel: UInt32, reader: BitReader) {
    var reader = state
    reader.refill(from: bytes)
    let red = readSymbol(at: group.red, tables, &reader)
    let blue = readSymbol(at: group.blue, tables, &reader)
    let alpha = readSymbol(at: group.alpha, tables, &reader)
    return (UInt32(truncatingIfNeeded: red | green &<< 8 | blue &<< 16 | alpha &<< 24), reader)
  }
}
