import ConformanceGenerator
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that both bool decoders return the bools of RFC 6386, section 7, including at the end of the bytes.
/// Expected values: `PlainBoolDecoder`, which is written from the RFC. `WorkedExampleTests` explains a few bools.
@Suite struct BoolDecoderTests {
  @Test(arguments: [0, 1, 2, 5, 6, 7, 8, 9, 15, 64, 1000])
  func boolsMatchTheRFC(count: Int) throws {
    try checkBools(count: count) { _ in OutsideBoolDecoder() }
    if count > 0 { try checkBools(count: count, decoder: LazyBoolDecoder.init) }
  }

  private func checkBools<Decoder: BoolReader>(count: Int, decoder start: (Span<UInt8>) -> Decoder) throws {
    var random = SplitMix64(seed: UInt64(count) + 1)
    for _ in 0..<20 {
      var bytes = random.bytes(count)
      if bytes.first == 255 { bytes[0] = 0 }  // not written by encoders, and undefined in the RFC
      var plain = PlainBoolDecoder(bytes)
      var decoder = start(bytes.span)
      for index in 0..<(count * 40 + 8) {
        // Extreme probabilities consume very few or very many bits.
        let probability: UInt8 = [0, 1, 128, 254, 255, UInt8.random(in: 0...255, using: &random)][index % 6]
        let isSign = index % 7 == 3
        let isMask = index % 7 == 5
        let expected = plain.bool(isSign ? 128 : probability)
        // If no bool is coded, `mask` reads nothing.
        if isMask { try #require(decoder.mask(probability, if: 0, bytes.span) == 0) }
        let actual =
          isSign
          ? decoder.sign(9, bytes.span) == -9
          : isMask ? decoder.mask(probability, if: -1, bytes.span) == -1 : decoder.bool(probability, bytes.span)
        try #require(decoder.isExhausted(bytes.span) == plain.isExhausted)
        if plain.isExhausted { break }
        try #require(actual == expected, "bool \(index) of \(count) bytes")
      }
      #expect(plain.isExhausted)
    }
  }

  /// A `LazyBoolDecoder` can continue at any position of a `BoolDecoder`.
  @Test func lazyDecoderContinuesAtAnyPosition() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<50 {
      var bytes = random.bytes(30)
      bytes[0] &= 0x7F
      var plain = PlainBoolDecoder(bytes)
      var scaling = BoolDecoder()
      while true {
        let probability = UInt8.random(in: 0...255, using: &random)
        let expected = plain.bool(probability)
        if plain.isExhausted { break }
        #expect(scaling.bool(probability, bytes.span) == expected)
        var unscaled = try #require(LazyBoolDecoder(scaling))
        var rest = plain
        for _ in 0..<20 {
          let probability = UInt8.random(in: 0...255, using: &random)
          let expected = rest.bool(probability)
          let actual = unscaled.bool(probability, bytes.span)
          #expect(unscaled.isExhausted(bytes.span) == rest.isExhausted)
          if rest.isExhausted { break }
          #expect(actual == expected)
        }
      }
    }
    // With a first byte of 0xFF, the value lies outside of the interval. `LazyBoolDecoder` cannot represent this state.
    let outside = ContiguousArray<UInt8>(repeating: 0xFF, count: 30)
    var decoder = BoolDecoder()
    for _ in 0..<20 {
      _ = decoder.bool(128, outside.span)
      #expect(LazyBoolDecoder(decoder) == nil)
    }
  }

  @Test func decodingContinuesWithMoreBytes() {
    checkGrowth { _ in OutsideBoolDecoder() }
    checkGrowth(LazyBoolDecoder.init)
  }

  private func checkGrowth<Decoder: BoolReader>(_ start: (Span<UInt8>) -> Decoder) {
    var random = SplitMix64(seed: 7)
    let bytes = random.bytes(300)
    var plain = PlainBoolDecoder(bytes)
    var available = 1
    var decoder = start(bytes.span.extracting(0..<available))
    while true {
      let probability = UInt8.random(in: 1...255, using: &random)
      let expected = plain.bool(probability)
      if plain.isExhausted { break }
      let before = decoder
      var actual = decoder.bool(probability, bytes.span.extracting(0..<available))
      while decoder.isExhausted(bytes.span.extracting(0..<available)) {
        available = min(bytes.count, available + Int.random(in: 1...9, using: &random))
        decoder = before
        actual = decoder.bool(probability, bytes.span.extracting(0..<available))
      }
      #expect(actual == expected)
    }
  }

  @Test func indexOfTrueMatchesTheRFC() {
    var random = SplitMix64(seed: 29)
    var trueOnes = 0
    for round in 0..<200 {
      // Zero bits decode to false bools. The few other bits eventually decode to a true bool.
      let bytes = ContiguousArray(random.bytes(40).map { round % 3 == 0 ? $0 & 0x7F : $0 < 60 ? $0 & 3 : 0 })
      let probabilities = (0..<300).map { _ in
        UInt8.random(in: [200...255, 250...255, 0...255][round % 3], using: &random)
      }
      var plain = PlainBoolDecoder(bytes)
      var decoder = BoolDecoder()
      var start = 0
      while start < probabilities.count {
        let expected = probabilities[start...].firstIndex { plain.bool($0) } ?? probabilities.count
        #expect(decoder.indexOfTrue(in: probabilities, from: start, bytes.span) == expected)
        #expect(decoder.isExhausted(bytes.span) == plain.isExhausted)
        if plain.isExhausted { break }
        if expected < probabilities.count { trueOnes += 1 }
        start = expected + 1
      }
    }
    #expect(trueOnes > 200)
  }

  @Test func literalsAreMostSignificantBitFirst() {
    var random = SplitMix64(seed: 3)
    let bytes = random.bytes(64)
    var plain = PlainBoolDecoder(bytes)
    var decoder = BoolDecoder()
    for bits in 1...24 {
      var expected: Int32 = 0
      for _ in 0..<bits { expected = expected * 2 + (plain.bool(128) ? 1 : 0) }
      #expect(decoder.literal(bits, bytes.span) == expected)
    }
  }
}
