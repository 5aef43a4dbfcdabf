import ConformanceGenerator
import Testing
import WebPFormat

@testable import PureWebP

/// Decodes the tokens of a block with the tree of RFC 6386, section 13, node by node. Shares no tables with the
/// decoder.
private struct PlainTokens {
  static let tree: [Int] = [
    -11, 2, -100, 4, -1, 6, 8, 12, -2, 10, -3, -4, 14, 16, -5, -6, 18, 20, -7, -8, -9, -10,
  ]
  static let extraBits: [[UInt8]] = [
    [159], [165, 145], [173, 148, 140], [176, 155, 140, 135], [180, 157, 141, 134, 130],
    [254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129],
  ]
  static let base = [5, 7, 11, 19, 35, 67]
  static let zigzag = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]
  static let bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]

  /// The length of the block, and its coefficients in raster order.
  static func block(
    _ decoder: inout PlainBoolDecoder, first: Int, context: Int, _ probability: (Int, Int, Int) -> UInt8
  ) -> (length: Int, levels: [Int]) {
    var levels = [Int](repeating: 0, count: 16)
    var context = context
    var canEnd = true
    var position = first
    while position < 16 {
      var node = canEnd ? 0 : 2
      repeat {
        node = tree[node + (decoder.bool(probability(bands[position], context, node / 2)) ? 1 : 0)]
      } while node > 0
      if node == -11 { return (position, levels) }
      if node == -100 {
        context = 0
        canEnd = false
        position += 1
        continue
      }
      var level = -node
      if level > 4 {
        let category = level - 5
        var extra = 0
        for odds in extraBits[category] { extra = extra * 2 + (decoder.bool(odds) ? 1 : 0) }
        level = base[category] + extra
      }
      context = level == 1 ? 1 : 2
      canEnd = true
      levels[zigzag[position]] = decoder.bool(128) ? -level : level
      position += 1
    }
    return (16, levels)
  }
}

/// The blocks of a `CoefficientPlane` in order, with their nonzero contexts.
private struct PlainBlocks {
  let group: CoefficientPlane
  /// The sizes of the planes in blocks, in order.
  var planes: [Int] {
    switch group {
    case .y2: [1]
    case .luma: [4]
    case .chroma: [2, 2]
    }
  }

  /// - Parameter block: decodes a block in a context, and returns whether it has coefficients.
  func forEachBlock(above: UInt32, left: UInt32, _ block: (_ context: Int) -> Bool) {
    var side = 0
    for size in planes {
      var isCoded: [[Bool]] = []
      for row in 0..<size {
        isCoded.append([])
        for column in 0..<size {
          let upper = row == 0 ? above >> (side + column) & 1 == 1 : isCoded[row - 1][column]
          let beside = column == 0 ? left >> (side + row) & 1 == 1 : isCoded[row][column - 1]
          isCoded[row].append(block((upper ? 1 : 0) + (beside ? 1 : 0)))
        }
      }
      side += size
    }
  }
}

/// Proves that both coefficient decoders read tokens as specified in RFC 6386, section 13.
/// Expected values: `PlainTokens`, which evaluates the RFC's tree node by node. `WorkedExampleTests` explains a block.
@Suite struct TokenTests {
  @Test(arguments: 0..<4) func stateMachineMatchesTheRFC(type: Int) {
    check(
      type: type, reader: { TokenStateMachine(bools: LazyBoolDecoder($0)) }, tree: { TokenStateTable(type: type, $0) })
  }

  @Test func bandsMatchTheRFC() {
    #expect(firstNodes.map(Int.init) == PlainTokens.bands.map { 33 * $0 })
  }

  @Test(arguments: 0..<4) func treeDecodersMatchTheRFC(type: Int) {
    check(
      type: type, reader: { TokenTreeDecoder(bools: LazyBoolDecoder($0)) }, tree: { TokenProbabilities(type: type, $0) }
    )
    check(
      type: type, reader: { _ in TokenTreeDecoder(bools: OutsideBoolDecoder()) },
      tree: { TokenProbabilities(type: type, $0) })
  }

  /// If the bytes end within a macroblock, it is parsed from its beginning when more bytes have arrived. Its overflow
  /// coefficients must not be stored twice.
  @Test func overflowCoefficientsAreStoredOnce() throws {
    var random = SplitMix64(seed: 5)
    let probabilities = ContiguousArray((0..<1056).map { _ in UInt8.random(in: 1...40, using: &random) })
    var bytes = random.bytes(8000)
    bytes[0] = 0
    let header = FrameHeader(width: 48, height: 16)
    /// Parses a row into memory that contains overflow coefficients of another row, which must not remain.
    func row(lengths: [Int]) throws -> [(index: Int32, value: Int16)] {
      var row = MacroblockRow(columns: 3, deferredRows: 0)
      for index in 0..<1200 { _ = row.coefficients.overflow.split(500, at: index) }
      var parser = CoefficientParser(
        header, probabilities, TokenPartitions(count: 1, sizes: 0), tokenBytes: Int64(bytes.count))
      for length in lengths {
        let isParsed = try parser.parseRow(&row, at: 0, bytes.span.extracting(0..<length), isComplete: false)
        #expect(isParsed == (length == bytes.count))
      }
      return row.coefficients.overflow.coefficients.map { ($0.index, $0.value) }
    }
    let atOnce = try row(lengths: [bytes.count])
    let inPieces = try row(lengths: Array(stride(from: 10, to: 700, by: 30)) + [bytes.count])
    #expect(atOnce.count > 50)
    #expect(atOnce.elementsEqual(inPieces) { $0 == $1 })
    #expect(Set(atOnce.map(\.index)).count == atOnce.count)
  }

  /// Any bytes are valid tokens. The ranges of the probabilities make every kind of token frequent in some rounds.
  private func check<Reader: CoefficientDecoder>(
    type: Int, reader start: (Span<UInt8>) -> Reader, tree: (ContiguousArray<UInt8>) -> Reader.Tables
  ) {
    var random = SplitMix64(seed: UInt64(type) + 11)
    var lengths: Set<Int> = []
    var largest = 0
    let group: CoefficientPlane = [.luma, .y2, .chroma, .luma][type]
    for round in 0..<30 {
      let probabilities = ContiguousArray(
        (0..<1056).map { _ in
          UInt8.random(in: [1...255, 1...40, 120...255][round % 3], using: &random)
        })
      let tree = tree(probabilities)
      var bytes = random.bytes(800)
      if bytes[0] == 255 { bytes[0] = 0 }  // not written by encoders, and undefined in the RFC
      var plain = PlainBoolDecoder(bytes)
      var reader = start(bytes.span)
      let first = type == 0 ? 1 : 0
      while true {
        let (above, left) = (UInt32.random(in: 0..<16, using: &random), UInt32.random(in: 0..<16, using: &random))
        let mask: UInt32 = group == .y2 ? 1 : 15
        var expected: [(length: Int, levels: [Int])] = []
        PlainBlocks(group: group).forEachBlock(above: above, left: left) { context in
          expected.append(
            PlainTokens.block(&plain, first: first, context: context) {
              probabilities[((type * 8 + $0) * 3 + $1) * 11 + $2]
            })
          return expected.last!.length > first
        }
        let count = expected.count
        var levels = ContiguousArray<Int8>(repeating: 77, count: 16 * count + 4)
        var overflow = CoefficientOverflow()
        var span = levels.mutableSpan
        let extents = reader.decode(
          group, tree, NonzeroContext(above: above & mask, left: left & mask), bytes.span, &span, at: 2, &overflow)
        #expect(reader.bools.isExhausted(bytes.span) == plain.isExhausted)
        if plain.isExhausted { break }
        #expect(extents >> UInt32(2 * count) == 0)
        var written = levels.map(Int.init)
        for coefficient in overflow.coefficients { written[Int(coefficient.index)] = Int(coefficient.value) }
        for (number, block) in expected.enumerated() {
          let length = block.length > first ? block.length : 0
          lengths.insert(length)
          largest = max(largest, block.levels.map(abs).max() ?? 0)
          let extent: UInt32 = [0, 1, 2, 2, 3][min(length, 4)]
          #expect(extents >> UInt32(2 * number) & 3 == extent)
          #expect(length == 0 || Array(written[(2 + 16 * number)...].prefix(16)) == block.levels)
        }
        #expect(levels.prefix(2) + levels.suffix(2) == [77, 77, 77, 77])
      }
    }
    #expect(lengths.count >= 15, "not all lengths occurred")
    #expect(largest > 127, "no coefficient exceeded the range of a byte")
  }
}
