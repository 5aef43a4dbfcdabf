import ConformanceGenerator
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that the inverse transforms equal RFC 6386, section 14, and overflow as libwebp does.
/// Expected values: `PlainVP8`, which computes with exact or wrapping scalar arithmetic.
@Suite struct TransformTests {
  private static let range: ClosedRange<Int16> = .min ... .max

  /// Blocks with coefficients of every magnitude, including the extremes.
  private static func blocks(_ count: Int, seed: UInt64) -> [[Int16]] {
    var numbers = SplitMix64(seed: seed)
    return (0..<count).map { i in
      let limit = Int16.max >> Int16(i % 16)
      return (0..<16).map { _ in
        switch UInt8.random(in: 0..<8, using: &numbers) {
        case 0: 0
        case 1: limit
        case 2: -limit - 1
        default: Int16.random(in: (-limit - 1)...limit, using: &numbers)
        }
      }
    }
  }

  private static let factors = [BlockFactors(dc: 1, ac: 1), BlockFactors(dc: 157, ac: 284)]

  private static func products(_ block: [Int16], _ factors: BlockFactors) -> [Int16] {
    block.indices.map { block[$0] &* ($0 == 0 ? factors.dc : factors.ac) }
  }

  private static func prediction(_ numbers: inout SplitMix64) -> Bytes {
    Bytes((0..<16).map { _ in [0, 255, UInt8.random(in: 0...255, using: &numbers)].randomElement(using: &numbers)! })
  }

  private func expect(_ result: Bytes, _ prediction: Bytes, _ residual: [Int16]) -> Bool {
    (0..<16).allSatisfy { result[$0] == PlainVP8.sum(prediction[$0], residual[$0]) }
  }

  @Test(arguments: factors) func completeTransformsWrapAsTheReference(_ factors: BlockFactors) {
    var numbers = SplitMix64(seed: 1)
    for block in Self.blocks(4_000, seed: 2) {
      let prediction = Self.prediction(&numbers)
      let result = unsafe block.withUnsafeBufferPointer {
        unsafe Residual(BlockExtent.full, $0.baseAddress!, factors).added(to: WideBlock(prediction))
      }
      #expect(expect(result, prediction, PlainVP8.wrappingInverseDCT(Self.products(block, factors))), "\(block)")
    }
  }

  /// For coefficients of valid files, the result equals the result of exact arithmetic, which the RFC specifies.
  @Test func completeTransformsInRangeAreExact() throws {
    var numbers = SplitMix64(seed: 3)
    for _ in 0..<2_000 {
      let block = (0..<16).map { _ in Int16.random(in: -1500...1500, using: &numbers) }
      let prediction = Self.prediction(&numbers)
      let result = unsafe block.withUnsafeBufferPointer {
        unsafe Residual(BlockExtent.full, $0.baseAddress!, BlockFactors(dc: 1, ac: 1))
          .added(to: WideBlock(prediction))
      }
      let expected = PlainVP8.inverseDCT(block)
      let isExact = (0..<16).allSatisfy { result[$0] == PlainVP8.clip(Int(prediction[$0]) + expected[$0]) }
      try #require(isExact, "\(block)")
    }
  }

  @Test(arguments: factors) func shortBlocksAreExact(_ factors: BlockFactors) {
    var numbers = SplitMix64(seed: 4)
    for var block in Self.blocks(4_000, seed: 5) {
      for i in 0..<16 where ![0, 1, 4].contains(i) { block[i] = 0 }
      let prediction = Self.prediction(&numbers)
      let result = unsafe block.withUnsafeBufferPointer {
        unsafe Residual(short: $0.baseAddress!, factors).added(to: WideBlock(prediction))
      }
      let expected = PlainVP8.inverseDCT(Self.products(block, factors))
      #expect((0..<16).allSatisfy { result[$0] == PlainVP8.clip(Int(prediction[$0]) + expected[$0]) }, "\(block)")
    }
  }

  @Test func everyDCIsExact() {
    let prediction = Bytes((0..<16).map { UInt8($0 * 17) })
    for dc in Self.range {
      let result = Residual(dc: dc).added(to: WideBlock(prediction))
      let expected = (Int(dc) + 4) >> 3
      #expect((0..<16).allSatisfy { result[$0] == PlainVP8.clip(Int(prediction[$0]) + expected) }, "\(dc)")
    }
  }

  @Test(arguments: factors) func pairsMatchTwoBlocks(_ factors: BlockFactors) {
    var numbers = SplitMix64(seed: 6)
    let blocks = Self.blocks(3_000, seed: 7)
    for (left, right) in zip(blocks, blocks.dropFirst()) {
      let prediction = Self.prediction(&numbers)
      let pair = unsafe left.withUnsafeBufferPointer { left in
        unsafe right.withUnsafeBufferPointer { right in
          unsafe Residual.pair(full: left.baseAddress!, right.baseAddress!, factors)
        }
      }
      #expect(
        expect(
          pair.left.added(to: WideBlock(prediction)), prediction,
          PlainVP8.wrappingInverseDCT(Self.products(left, factors)))
      )
      #expect(
        expect(
          pair.right.added(to: WideBlock(prediction)), prediction,
          PlainVP8.wrappingInverseDCT(Self.products(right, factors))))
    }
  }

  /// Returns whether the complete transform and the shortened transform of a block with few coefficients differ. Tests
  /// the extremes of eight-bit quantized coefficients.
  private static func formsDiffer(dc: Int16, _ factors: BlockFactors) -> Bool {
    let extremes: [(Int16, Int16)] = [(-128, -128), (-128, 127), (127, -128), (127, 127), (0, 0)]
    return extremes.contains { (across, down) in
      var blocks = [Int16](repeating: 0, count: 32)
      (blocks[0], blocks[1], blocks[4]) = (dc, across, down)
      let code = across == 0 ? BlockExtent.dcOnly : BlockExtent.short
      return unsafe blocks.withUnsafeBufferPointer { blocks in
        let whole = unsafe Residual.pair(code, blocks.baseAddress!, factors, neverOverflows: true).left
        let other = unsafe Residual(code, blocks.baseAddress!, factors)
        return whole.rows01 != other.rows01 || whole.rows23 != other.rows23
      }
    }
  }

  @Test func transformsAgreeWithoutOverflow() throws {
    var differing = 0
    for ac in (4...284) as ClosedRange<Int16> {
      for dc in (4...157) as ClosedRange<Int16> {
        let factors = BlockFactors(dc: dc, ac: ac)
        guard Self.formsDiffer(dc: -128, factors) || Self.formsDiffer(dc: 127, factors) else { continue }
        differing += 1
        try #require(!factors.neverOverflows, "\(dc), \(ac)")
      }
    }
    #expect(differing > 0)
  }

  /// The shortened transforms also agree for DCs from a Y2 block. These are greatest if all quantized coefficients of
  /// the Y2 block are equal.
  @Test func transformsAgreeAfterTheInverseWHT() {
    var agreeing = 0
    for index in (0...127) as ClosedRange<Int32> {
      for difference in [-15, 0, 15] as [Int32] {
        var header = QuantizerHeader()
        (header.y2DC, header.y2AC) = (difference, difference)
        let factors = DequantizationFactors(header, index: index)
        guard factors.y1WithoutDC.neverOverflows else { continue }
        agreeing += 1
        for level in [-128, 127] as [Int16] {
          let dcs = PlainVP8.inverseWHT((0..<16).map { level &* ($0 == 0 ? factors.y2.dc : factors.y2.ac) })
          #expect(!Self.formsDiffer(dc: dcs[0], factors.y1WithoutDC), "\(index), \(difference)")
        }
      }
    }
    #expect(1..<384 ~= agreeing)
  }

  @Test(arguments: factors) func inverseWHTFillsTheDCs(_ factors: BlockFactors) {
    for var block in Self.blocks(4_000, seed: 8) {
      if block[15] % 3 == 0 { for i in 1..<16 { block[i] = 0 } }
      var luma = [Int16](repeating: 77, count: 256)
      let nonzero = unsafe block.withUnsafeBufferPointer { block in
        unsafe luma.withUnsafeMutableBufferPointer { luma in
          unsafe inverseWHT(block.baseAddress!, factors, into: luma.baseAddress!)
        }
      }
      let expected = PlainVP8.inverseWHT(Self.products(block, factors))
      #expect((0..<16).map { luma[$0 * 16] } == expected)
      let isNonzero = (0..<16).map { (index: Int) in nonzero >> UInt32(index) & 1 == 1 }
      #expect(isNonzero == expected.map { $0 != 0 })
      #expect(luma.indices.allSatisfy { $0 % 16 == 0 || luma[$0] == 77 })
    }
  }
}
