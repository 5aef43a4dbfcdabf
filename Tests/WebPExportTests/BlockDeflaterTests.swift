import ConformanceGenerator
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that blocks with runs and repetitions are valid deflate streams, with complete and optimal codes.
/// Expected values: zlib's inflate, which refuses incomplete codes, and the package-merge algorithm.
@Suite struct BlockDeflaterTests {
  /// Bytes of different kinds, such as filtered rows have.
  enum Content: CaseIterable {
    case zeros, noise, smallDifferences, runs, repetitions, mixed, powers, changing

    func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
      var random = SplitMix64(seed: seed)
      func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
      var bytes: [UInt8] = []
      while bytes.count < count {
        switch self {
        case .zeros: bytes.append(0)
        case .noise: bytes.append(UInt8(below(256)))
        case .smallDifferences: bytes.append(UInt8(truncatingIfNeeded: below(5) * below(3) - 4))
        case .runs: bytes += [UInt8](repeating: UInt8(below(3)), count: 1 + below(below(2) == 0 ? 600 : 5))
        case .repetitions:
          let distance = 1 + below(max(1, min(bytes.count, 40000)))
          for _ in 0..<(3 + below(20)) { bytes.append(bytes.isEmpty ? 7 : bytes[max(0, bytes.count - distance)]) }
          bytes.append(UInt8(below(256)))
        case .mixed: bytes += Content.allCases[below(4)].bytes(1 + below(3000), seed: UInt64(below(1 << 30)))
        // Byte n is about twice as frequent as byte n + 1, so that optimal codes are longer than the limit.
        case .powers: bytes.append(UInt8(min(30, (UInt64.random(in: 1...(.max), using: &random)).leadingZeroBitCount)))
        // Each part has other bytes, so that it gets its own codes.
        case .changing: bytes.append(UInt8((bytes.count >> 15) * 40 % 216 + below(20)))
        }
      }
      return Array(bytes[..<count])
    }
  }

  private func deflated(
    _ bytes: [UInt8], from start: Int = 0, _ search: BlockDeflater.Search, isLast: Bool = true
  ) -> [UInt8] {
    let bytes = ContiguousArray(bytes)
    return Array(BlockDeflater.compress(bytes.span, from: start, search, after: [], isLast: isLast))
  }

  /// A zlib stream with the given blocks.
  private func inflated(_ blocks: [UInt8], of bytes: [UInt8]) throws -> [UInt8] {
    let checksum = plainAdler32(bytes)
    var stream: [UInt8] = [0x78, 0x9C]
    stream += blocks
    for shift in [24, 16, 8, 0] { stream.append(UInt8(truncatingIfNeeded: checksum >> shift)) }
    return try PNGReader.inflate(stream, count: bytes.count)
  }

  /// RFC 1950, section 8.
  private func plainAdler32(_ bytes: [UInt8]) -> UInt32 {
    let sums = bytes.reduce(into: (a: UInt32(1), b: UInt32(0))) { sums, byte in
      sums.a = (sums.a + UInt32(byte)) % 65521
      sums.b = (sums.b + sums.a) % 65521
    }
    return sums.b << 16 | sums.a
  }

  @Test func checksumsAreTheStandards() throws {
    for count in Array(0...800) + [65_536, 1_000_003] {
      for bytes in [[UInt8](repeating: 255, count: count), Content.noise.bytes(count, seed: UInt64(count))] {
        try #require(adler32(ContiguousArray(bytes).span) == plainAdler32(bytes), "\(count) bytes")
      }
    }
  }

  @Test(arguments: Content.allCases, [BlockDeflater.Search.runs, .repetitions()])
  func blocksCanBeInflated(_ content: Content, _ search: BlockDeflater.Search) throws {
    for count in Array(0...80) + [257, 258, 259, 260, 261, 262, 517, 520, 4095, 32767, 32768, 32769, 70000, 200_000] {
      let bytes = content.bytes(count)
      expectSame(try inflated(deflated(bytes, search), of: bytes), bytes, "\(content) \(count)")
    }
  }

  /// The bytes that precede a part may be repeated, but not at the start of a stream, where there are none.
  @Test(arguments: Content.allCases, [BlockDeflater.Search.runs, .repetitions()])
  func partsJoin(_ content: Content, _ search: BlockDeflater.Search) throws {
    let bytes = content.bytes(90_000)
    for sizes in [[1, 2, 3, 5, 89_989], [30_000, 60_000], [32_768, 32_768, 24_464], [89_999, 1]] {
      var (blocks, start) = ([UInt8](), 0)
      for size in sizes {
        let end = start + size
        let before = max(0, start - 32768)
        blocks += deflated(Array(bytes[before..<end]), from: start - before, search, isLast: end == bytes.count)
        start = end
      }
      expectSame(try inflated(blocks, of: bytes), bytes, "\(content) \(sizes)")
    }
  }

  @Test(arguments: Content.allCases, [BlockDeflater.Search.runs, .repetitions()])
  func partsMayEndAnywhere(_ content: Content, _ search: BlockDeflater.Search) throws {
    let bytes = content.bytes(600)
    for end in 0...600 {
      let blocks =
        deflated(Array(bytes[..<end]), search, isLast: false) + deflated(bytes, from: end, search)
      expectSame(try inflated(blocks, of: bytes), bytes, "\(content) \(end)")
    }
  }

  @Test func runsMayRepeatTheByteBeforeThePart() {
    let zeros = [UInt8](repeating: 0, count: 1001)
    #expect(deflated(zeros, from: 1, .runs).count <= deflated(zeros, from: 0, .runs).count)
  }

  /// zlib's searches for runs, and for repetitions, take about the same number of bytes.
  @Test(arguments: [Content.smallDifferences, .runs, .mixed, .powers, .changing])
  func blocksAreAsSmallAsTheBlocksOfZlib(_ content: Content) throws {
    let bytes = content.bytes(300_000)
    for (search, effort) in [(BlockDeflater.Search.runs, DeflateEffort.runs), (.repetitions(), .level(1))] {
      var expected = ContiguousArray<UInt8>()
      try deflate(ContiguousArray(bytes).span, isLast: true, effort, onto: &expected)
      #expect(deflated(bytes, search).count * 100 <= expected.count * 102, "\(content) \(search)")
    }
  }

  /// The first segment of a block has no segment before it, from which the bits of symbols are known.
  @Test func symbolsOfSimilarBytesMakeTheFirstSegmentSmaller() {
    let bytes = ContiguousArray(Content.repetitions.bytes(20_000))
    let all = 0..<bytes.count
    var search = RepetitionSearch(count: bytes.count)
    let costs = SymbolCosts(Segment(runs: bytes.span, all).symbols)
    let symbols = Segment(bytes.span, all, costs, &search).symbols
    let known = deflated(Array(bytes), .repetitions(symbols))
    #expect(known.count < deflated(Array(bytes), .repetitions()).count)
  }

  // MARK: Codes

  /// Histograms: random, as frequent as powers of two and Fibonacci numbers, few symbols.
  private func histograms() -> [[UInt32]] {
    var random = SplitMix64(seed: 5)
    var histograms: [[UInt32]] = [[0, 9], [0, 0, 4], [1, 1], [0, 0, 0, 7, 0, 7]]
    for size in [2, 3, 19, 30, 286] {
      for bits in [1, 4, 12, 17] {
        histograms.append((0..<size).map { _ in UInt32.random(in: 0..<(1 << bits), using: &random) })
        histograms.append((0..<size).map { _ in UInt32(1) << UInt32.random(in: 0..<UInt32(bits), using: &random) })
      }
      var fibonacci: [UInt32] = [1, 1]
      while fibonacci.count < size { fibonacci.append(fibonacci.count > 40 ? 1 : fibonacci.suffix(2).reduce(0, +)) }
      histograms.append(fibonacci)
    }
    return histograms.filter { $0.contains { $0 > 0 } }
  }

  @Test(arguments: [7, 9, 14]) func codesAreCompleteAndOptimal(limit: Int) throws {
    for counts in histograms() where counts.count <= 1 << limit {
      let lengths = codeLengths(ContiguousArray(counts).span, limit: limit)
      let used = lengths.filter { $0 > 0 }.map { Int($0) }
      try #require(used.count >= 2 && used.allSatisfy { $0 <= limit }, "\(counts)")
      let codes: Int = used.reduce(0) { (sum: Int, length: Int) in sum + 1 << (limit - length) }
      try #require(codes == 1 << limit, "\(counts)")
      var bits = 0
      for (count, length) in zip(counts, lengths) { bits += Int(count) * Int(length) }
      let optimal = Self.optimalBits(counts.filter { $0 > 0 }.map(Int.init), limit: limit)
      try #require(bits == optimal, "\(bits) bits instead of \(optimal), limit \(limit): \(counts)")
    }
  }

  /// Package-merge (Larmore and Hirschberg, 1990): the sum of the 2n − 2 smallest packages of the last level.
  private static func optimalBits(_ counts: [Int], limit: Int) -> Int {
    guard counts.count > 1 else { return counts[0] }
    let leaves = counts.sorted()
    var packages = leaves
    for _ in 1..<limit {
      let pairs = stride(from: 0, to: packages.count - 1, by: 2).map { packages[$0] + packages[$0 + 1] }
      packages = (leaves + pairs).sorted()
    }
    return packages[..<(2 * leaves.count - 2)].reduce(0, +)
  }

  @Test func symbolsHaveTheExtraBitsOfTheStandard() throws {
    // RFC 1951, section 3.2.5: the first length of each symbol, and the first distance.
    let lengths = [
      3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
    ]
    for length in 3...258 {
      let symbol = DeflateSymbol(length: length)
      let first = length == 258 ? 28 : lengths.dropLast().lastIndex { $0 <= length }!
      let extraBits = first < 8 || first == 28 ? 0 : (first - 4) / 4
      let isRight = symbol.index == 257 + first && symbol.extra == length - lengths[first]
      try #require(isRight && symbol.extraBits == extraBits, "length \(length)")
    }
    var first = 1
    for index in 0..<30 {
      let extraBits = index < 4 ? 0 : index / 2 - 1
      for distance in [first, first + 1 << extraBits - 1] {
        let symbol = DeflateSymbol(distance: distance)
        let isRight = symbol.index == index && symbol.extra == distance - first && symbol.extraBits == extraBits
        try #require(isRight, "distance \(distance)")
      }
      first += 1 << extraBits
    }
    #expect(first == 32769)
  }
}
