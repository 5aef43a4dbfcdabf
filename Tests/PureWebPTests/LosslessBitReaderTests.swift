import ConformanceGenerator
import Testing

@testable import PureWebP

/// Proves that the bit reader returns bits in the order of RFC 9649, section 3.2, also at the end of the bytes.
/// Expected values: bits that are extracted one by one.
@Suite struct LosslessBitReaderTests {
  @Test func readsMatchSingleBits() {
    var random = SplitMix64(seed: 1)
    for count in [0, 1, 7, 8, 9, 16, 100] {
      let bytes = random.bytes(count)
      func bit(_ position: Int) -> Int { position / 8 < count ? Int(bytes[position / 8]) >> (position % 8) & 1 : 0 }
      for start in [0, 3, count * 8] {
        var reader = BitReader(atBit: start, of: bytes.span)
        var position = start
        while position < count * 8 + 200 {
          let length = Int.random(in: 0...24, using: &random)
          let expected = (0..<length).reduce(0) { $0 | bit(position + $1) << $1 }
          let bits = reader.read(length, from: bytes.span)
          position += length
          #expect(bits == expected && reader.bit == position)
        }
      }
    }
  }

  @Test func refillProvides56Bits() {
    var random = SplitMix64(seed: 2)
    let bytes = random.bytes(64)
    for start in 0..<64 {
      var reader = BitReader(atBit: start, of: bytes.span)
      var bitByBit = BitReader(atBit: start, of: bytes.span)
      reader.refill(from: bytes.span)
      let alone = (0..<56).map { _ in bitByBit.read(1, from: bytes.span) }
      let together = (0..<56).map { _ in reader.take(1) }
      #expect(alone == together)
    }
  }
}
