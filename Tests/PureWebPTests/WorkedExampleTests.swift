import Testing
import WebPFormat

@testable import PureWebP

/// Proves that a few bytes of each part of the format are decoded as a reader decodes them by hand.
/// Expected values: the drawings and tables here, worked out from RFC 9649 and RFC 6386. Start here.
@Suite struct WorkedExampleTests {
  /// A chunk (RFC 9649, section 2.7): an image of 320 × 240 pixels with alpha.
  ///
  ///     56 50 38 58 │ 0A 00 00 00 │ 10       │ 00 00 00 │ 3F 01 00  │ EF 00 00
  ///     V  P  8  X  │ size 10     │ features │ reserved │ width − 1 │ height − 1
  ///                                 0001 0000              319         239
  ///                                    └ alpha
  ///
  /// All numbers are little-endian: 3F 01 00 is 0x00013F = 319.
  @Test func chunkIsDecodedByHand() throws {
    let bytes: ContiguousArray<UInt8> = [
      0x56, 0x50, 0x38, 0x58, 0x0A, 0, 0, 0, 0x10, 0, 0, 0, 0x3F, 0x01, 0, 0xEF, 0, 0,
    ]
    guard let chunk = ChunkHeader(bytes.span, at: 0), let header = try ExtendedHeader(chunk, bytes.span, at: 0) else {
      Issue.record("the chunk is complete")
      return
    }
    #expect(chunk.fourCC == .vp8X && chunk.size == 10 && chunk.paddedSize == 18)
    #expect(header.width == 320 && header.height == 240 && header.hasAlpha && !header.isAnimated)
  }

  /// Bools (RFC 6386, section 7) of the bytes 5A C3. The decoder keeps an interval of `range` steps and the position
  /// `value` of the fraction in it. It splits the interval after 1 + ⌊(range − 1) · probability / 256⌋ steps:
  ///
  ///     0             split         range
  ///     ├─── false ─────┼─── true ────┤
  ///            ▲ value
  ///
  /// The part that contains the value is the new interval, and the value is counted from its start. While the range is
  /// below 128, it doubles, and the value doubles too and gets the next bit. The value begins with eight bits, 0x5A.
  ///
  /// | value | range | probability | split | bool  | new value | new range | doubled    |
  /// |-------|-------|-------------|-------|-------|-----------|-----------|------------|
  /// | 90    | 255   | 128         | 128   | false | 90        | 128       |            |
  /// | 90    | 128   | 64          | 32    | true  | 58        | 96        | 117 of 192 |
  /// | 117   | 192   | 200         | 150   | false | 117       | 150       |            |
  /// | 117   | 150   | 30          | 18    | true  | 99        | 132       |            |
  /// | 99    | 132   | 250         | 128   | false | 99        | 128       |            |
  /// | 99    | 128   | 128         | 64    | true  | 35        | 64        | 71 of 128  |
  ///
  /// The first doubling appends the first bit of C3, 1: 58 · 2 + 1 = 117. The second one appends the next bit, 1.
  @Test func boolsAreDecodedByHand() {
    let bytes: ContiguousArray<UInt8> = [0x5A, 0xC3, 0, 0, 0, 0, 0, 0]
    let probabilities: [UInt8] = [128, 64, 200, 30, 250, 128]
    let expected = [false, true, false, true, false, true]
    var decoder = BoolDecoder()
    #expect(probabilities.map { decoder.bool($0, bytes.span) } == expected)
    var lazyDecoder = LazyBoolDecoder(bytes.span)
    #expect(probabilities.map { lazyDecoder.bool($0, bytes.span) } == expected)
  }

  /// Tokens (RFC 6386, section 13) of the chroma blocks of a macroblock, in the bytes 65 90 00. All probabilities are
  /// 128. After a first false bool, the range is 128, and each further bool is the next bit.
  ///
  ///     0       block 0: no coefficients
  ///     1       block 1: not DCT_EOB
  ///     1       position 0: not DCT_0
  ///     0       DCT_1, magnitude 1
  ///     0       sign: +1
  ///     1       not DCT_EOB
  ///     0       position 1: DCT_0. The block cannot end after it, so the next bool does not ask for DCT_EOB.
  ///     1       position 2: not DCT_0
  ///     1 0 0   not DCT_1, low, DCT_2: magnitude 2
  ///     1       sign: −2
  ///     0       DCT_EOB: the block's length is 3
  ///     0 …     blocks 2 to 7: no coefficients
  ///
  /// Positions 0 and 2 are the raster positions 0 and 4 in the zigzag order:
  ///
  ///      1  0  0  0
  ///     −2  0  0  0
  ///      0  0  0  0
  ///      0  0  0  0
  @Test func tokensAreDecodedByHand() {
    let bytes: ContiguousArray<UInt8> = [0x65, 0x90, 0, 0, 0, 0, 0, 0]
    let probabilities = ContiguousArray<UInt8>(repeating: 128, count: 1056)
    check(TokenTreeDecoder(bools: OutsideBoolDecoder()), TokenProbabilities(type: 2, probabilities))
    check(TokenTreeDecoder(bools: LazyBoolDecoder(bytes.span)), TokenProbabilities(type: 2, probabilities))
    check(TokenStateMachine(bools: LazyBoolDecoder(bytes.span)), TokenStateTable(type: 2, probabilities))

    func check<Decoder: CoefficientDecoder>(_ start: Decoder, _ tables: Decoder.Tables) {
      var decoder = start
      var coefficients = ContiguousArray<Int8>(repeating: 0, count: 8 * 16)
      var overflow = CoefficientOverflow()
      var span = coefficients.mutableSpan
      let extents = decoder.decode(
        .chroma, tables, NonzeroContext(above: 0, left: 0), bytes.span, &span, at: 0, &overflow)
      var expected = ContiguousArray<Int8>(repeating: 0, count: 8 * 16)
      (expected[16], expected[20]) = (1, -2)
      #expect(coefficients == expected && overflow.coefficients.isEmpty)
      #expect(extents == BlockExtent.short << 2)
    }
  }

  /// A predictor: B_LD_PRED (RFC 6386, section 12.3), which continues the row above downward to the left. Each pixel is
  /// the rounded 1-2-1 average of three pixels above:
  ///
  ///     above    10 20 30 40 50 60 70 80          A … H
  ///                 20 30 40 50 60 70 78          (A + 2B + C + 2) / 4 … (G + 2H + H + 2) / 4
  ///
  ///     block    20 30 40 50
  ///              30 40 50 60
  ///              40 50 60 70
  ///              50 60 70 78
  @Test func subblockIsPredictedByHand() {
    let above = [10, 20, 30, 40, 50, 60, 70, 80].reversed().reduce(0 as UInt64) { $0 << 8 | $1 }
    let block = predictSubblock(.leftDown, SubblockEdge(left: .zero, corner: 0, above: above))
    #expect((0..<8).map { block.rows01[$0] } == [20, 30, 40, 50, 30, 40, 50, 60])
    #expect((0..<8).map { block.rows23[$0] } == [40, 50, 60, 70, 50, 60, 70, 78])
  }

  /// A prefix code (RFC 9649, section 3.7.2.1.2) and three symbols, in the bytes 02 40 12 79 01. Bits are read from the
  /// lowest bit of each byte, and numbers have their lowest bit first:
  ///
  ///     02        40        12        79        01
  ///     01000000  00000010  01001000  10011110  10          in the order of reading
  ///
  ///     0                   not a simple code
  ///     1000                1: the length code has 1 + 4 lengths
  ///     000 000 000         lengths of the symbols 17, 18 and 0: none
  ///     100 100             lengths of the symbols 1 and 2: one bit, so their codes are 0 and 1
  ///     1 000 10            not all lengths are stored: their number minus 2 has 2 bits and is 1
  ///     0 1 1               three code lengths: 1, 2, 2
  ///     11 0 10             three symbols
  ///
  /// The codes follow from the lengths:
  ///
  ///          ┌─ 0 ── symbol 0
  ///     ─────┤      ┌─ 0 ── symbol 1
  ///          └─ 1 ──┤
  ///                 └─ 1 ── symbol 2
  ///
  /// So the three symbols are 2, 0 and 1.
  @Test func prefixCodeIsDecodedByHand() throws {
    let bytes: ContiguousArray<UInt8> = [0x02, 0x40, 0x12, 0x79, 0x01]
    var bits = BitReader(atBit: 0, of: bytes.span)
    var codes = PrefixCodeReader(cacheSize: 0)
    var tables = ContiguousArray<PrefixCodeEntry>()
    var table = 0
    #expect(try codes.readTable(symbolCount: 256, &table, in: &tables, &bits, bytes.span) == 2)
    bits.refill(from: bytes.span)
    #expect((0..<3).map { _ in EntropyDecoder.readSymbol(at: table, tables.span, &bits) } == [2, 0, 1])
  }
}
