import ConformanceGenerator
import Testing
import WebPFormat

@testable import PureWebP

/// The modes of RFC 6386, sections 8.1 and 11: trees in the RFC's own notation, evaluated node by node.
private struct PlainModes {
  // Leaves are negative: −1 − value.
  static let segment = [2, 4, -1, -2, -3, -4]
  static let luma = [-5, 2, 4, 6, -1, -2, -3, -4]  // DC V H TM, B_PRED = 4
  static let subblock = [-1, 2, -2, 4, -3, 6, 8, 12, -4, 10, -6, -7, -5, 14, -8, 16, -9, -10]
  static let chroma = [-1, 2, -2, 4, -3, -4]
  /// The subblock mode that a macroblock mode implies, in the order DC V H TM.
  static let implied = [0, 2, 3, 1]

  static func readTree(_ tree: [Int], _ decoder: inout PlainBoolDecoder, _ probability: (Int) -> UInt8) -> Int {
    var node = 0
    repeat { node = tree[node + (decoder.bool(probability(node / 2)) ? 1 : 0)] } while node > 0
    return -1 - node
  }
}

/// Proves that macroblock modes are parsed as specified in RFC 6386, sections 8.1 and 11.
/// Expected values: `PlainModes`, which evaluates the RFC's trees node by node.
@Suite struct ModeTests {
  /// Any bytes are valid modes.
  @Test(arguments: [true, false], [true, false])
  func modesMatchTheRFC(hasSegmentsAndSkips: Bool, isScaling: Bool) throws {
    var random = SplitMix64(seed: hasSegmentsAndSkips ? 5 : 6)
    var kinds: Set<Int> = []
    for _ in 0..<200 {
      let columns = Int.random(in: 1...6, using: &random)
      var header = FrameHeader(width: 16 * columns - 3, height: 64)
      header.segmentation.updatesMap = hasSegmentsAndSkips
      header.segmentation.treeProbabilities = [120, 40, 200, 0]
      header.skipProbability = hasSegmentsAndSkips ? 90 : nil
      var bytes = random.bytes(400)
      bytes[0] &= 0x7F
      var plain = PlainBoolDecoder(bytes)
      var decoder = BoolDecoder()
      // Before its first bool, a decoder has no state that `LazyBoolDecoder` can represent.
      if !isScaling { try #require(decoder.bool(70, bytes.span) == plain.bool(70)) }
      try #require((LazyBoolDecoder(decoder) == nil) == isScaling)
      var parser = ModeParser(header, decoder: decoder, partition: bytes.indices)
      var row = MacroblockRow(columns: columns, deferredRows: 0)
      var above = [Int](repeating: 0, count: 4 * columns)
      for _ in 0..<4 {
        let isComplete = parser.parseRow(&row, bytes.span)
        var left = [0, 0, 0, 0]
        for column in 0..<columns {
          let macroblock = row.macroblocks[column]
          if hasSegmentsAndSkips {
            let probabilities = header.segmentation.treeProbabilities
            let segment = PlainModes.readTree(PlainModes.segment, &plain) { probabilities[$0] }
            try #require(Int(macroblock.segment) == segment)
            try #require(macroblock.isSkipped == plain.bool(90))
          }
          let luma = PlainModes.readTree(PlainModes.luma, &plain) { [145, 156, 163, 128][$0] }
          kinds.insert(luma)
          try #require(macroblock.usesSubblockModes == (luma == 4))
          if luma == 4 {
            for block in 0..<16 {
              let (x, y) = (4 * column + block % 4, block / 4)
              let probabilities = (above[x] * 10 + left[y]) * 9
              let mode = PlainModes.readTree(PlainModes.subblock, &plain) {
                subblockModeProbabilities[probabilities + $0]
              }
              above[x] = mode
              left[y] = mode
              kinds.insert(10 + mode)
              try #require(Int(macroblock.subblockModes >> UInt64(4 * block) & 15) == mode)
            }
          } else {
            try #require(Int(macroblock.lumaMode.rawValue) == luma)
            for index in 0..<4 {
              above[4 * column + index] = PlainModes.implied[luma]
              left[index] = PlainModes.implied[luma]
            }
          }
          let chroma = PlainModes.readTree(PlainModes.chroma, &plain) { [142, 114, 183][$0] }
          try #require(Int(macroblock.chromaMode.rawValue) == chroma)
        }
        try #require(isComplete == !plain.isExhausted)
        if plain.isExhausted { break }
      }
    }
    #expect(kinds.count == 5 + 10, "not all modes occurred")
  }

  /// Compares one entry of the table with section 11.5, to check the order of the indices.
  @Test func probabilitiesAreIndexedByAboveThenLeft() throws {
    try #require(subblockModeProbabilities.count == 10 * 10 * 9)
    #expect(
      Array(subblockModeProbabilities[(2 * 10 + 1) * 9..<(2 * 10 + 1) * 9 + 9]) == [
        43, 97, 183, 117, 85, 38, 35, 179, 61,
      ])
  }
}
