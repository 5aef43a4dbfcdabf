import PureWebP

/// A method to compress a block of filtered rows.
enum Effort {
  /// Runs, or repetitions of three bytes and more, and prefix codes.
  case own(BlockDeflater.Search)
  case zlib(DeflateEffort)
  /// One of the above, by an estimate.
  case estimated

  /// Compresses a block to a part of a deflate stream.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that precede the block, and the block.
  ///   - start: the position of the block.
  ///   - prefix: the bytes that precede the block in the result.
  ///   - isLast: true if the stream ends here.
  func compress(
    _ bytes: Span<UInt8>, from start: Int, after prefix: ContiguousArray<UInt8>, isLast: Bool
  ) throws(WebP.ExportError) -> ContiguousArray<UInt8> {
    switch self {
    case .own(let search): return BlockDeflater.compress(bytes, from: start, search, after: prefix, isLast: isLast)
    case .zlib(let effort):
      var output = prefix
      try deflate(bytes, from: start, isLast: isLast, effort, onto: &output)
      return output
    case .estimated:
      let efforts = Self.estimatedEfforts(for: bytes, from: start)
      return try Self.smallest(of: efforts, bytes, from: start, after: prefix, isLast: isLast)
    }
  }

  /// Compresses a block with several efforts, and returns the smallest result.
  static func smallest(
    of efforts: [Self], _ bytes: Span<UInt8>, from start: Int, after prefix: ContiguousArray<UInt8>, isLast: Bool
  ) throws(WebP.ExportError) -> ContiguousArray<UInt8> {
    var best = ContiguousArray<UInt8>()
    for effort in efforts {
      let output = try effort.compress(bytes, from: start, after: prefix, isLast: isLast)
      if best.isEmpty || output.count < best.count { best = output }
    }
    return best
  }

  /// Selects the efforts for a block by samples of it.
  ///
  /// Filtered photos have few repetitions except for runs of zeros. In photos with grain or much detail, repetitions of
  /// one or two pixels make the file up to a fifth smaller, but take several times as long. Drawings and text have long
  /// repetitions, few bits for each byte, and large differences at edges or patterns in nearly constant parts. zlib
  /// finds more of long repetitions, but takes more bits for short ones and for runs.
  private static func estimatedEfforts(for bytes: Span<UInt8>, from start: Int) -> [Self] {
    let block = bytes.count - start
    guard block >= 5 << 10 else { return effortsForDrawings() }
    let samples = block < 1 << 14 ? 1 : block < 1 << 17 ? 2 : 4
    let count = min(block / samples, max(block / (32 * samples), 3 << 10))
    var search = RepetitionSearch(count: count * samples)
    var (runs, all) = (SymbolCounts(), SymbolCounts())
    for index in 0..<samples {
      let first = start + min(block * (2 * index + 1) / (2 * samples), block - count)
      let range = first..<first + count
      let sample = Segment(runs: bytes, range)
      runs.add(sample.symbols)
      all.add(Segment(bytes, range, SymbolCosts(index == 0 ? sample.symbols : all), &search).symbols)
    }
    let (runCost, cost) = (runs.cost, all.cost)
    let differences = runs.counts[1..<256].reduce(0, +)
    let isFlat = runCost < 3 * count * samples << 9  // 1.5 bits for each byte
    let hasEdges = runs.counts[32...224].reduce(0, +) * 8 > differences
    let isNearlyConstant = runCost * 5 < 2 * count * samples << 10  // 0.4 bits
    let runCount = Int(all.counts[SymbolCounts.distances.lowerBound])  // their distance is 1
    let hasPatterns = (all.total(SymbolCounts.distances) - runCount) * 7 > runCount
    if isFlat && hasEdges || isNearlyConstant && hasPatterns || cost * 100 < runCost * 88 {
      return effortsForDrawings(all)
    }
    // The complete block has more repetitions than the samples.
    return [.own(cost * 200 < runCost * 199 ? .repetitions(all) : .runs)]
  }

  private static func effortsForDrawings(_ symbols: SymbolCounts? = nil) -> [Self] {
    [.own(.repetitions(symbols)), .zlib(.level(6))]
  }
}
