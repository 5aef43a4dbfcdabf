import PureWebP

extension WebP {
  /// The trade-off between the compression time and the size of a PNG.
  public enum PNGCompression: Hashable, Sendable {
    /// Selects the compression by the contents of the image. For photos, this is several times as fast as level 6, with
    /// smaller files.
    case automatic
    /// 0 (no compression), 1 (fast) ... 9 (small). Levels 2 to 4 are the same, and so are levels 5 to 8. Level 9 tries
    /// several filters and takes many times as long as level 6.
    case level(Int)
  }
}

extension WebP.PNGCompression {
  /// The efforts to compress each block with. The smallest result is used. Each level has the efforts of the levels
  /// below it, so that its blocks are never larger.
  private var efforts: [DeflateEffort] {
    switch self {
    case .automatic: []
    case .level(let level) where level <= 1: [.level(level)]
    case .level(...8): [.level(1), .runs]
    case .level: [.level(1), .runs, .level(3), .filtered(6), .level(6), .filtered(9), .level(9)]
    }
  }

  /// Further efforts, from fast to slow. Samples of the block select one of them.
  private var sampledEfforts: [DeflateEffort] {
    switch self {
    case .automatic, .level(5...8): [.runs, .level(3), .filtered(6), .level(6)]
    case .level: []
    }
  }

  /// The filters to try for each block. Nil is the selection of a filter for each row.
  ///
  /// - Parameter isIndexed: whether the pixels are indices of a palette. Their differences are meaningless, but may
  ///   have more repetitions.
  func filters(isIndexed: Bool) -> [UInt8?] {
    guard case .level(9...) = self else { return isIndexed ? [0] : [nil] }
    return isIndexed ? [0, nil, 1, 2] : [nil, 0, 1, 2, 3, 4]
  }

  /// Compresses a block with the best of the efforts.
  ///
  /// - Parameters:
  ///   - bytes: the bytes that precede the block, and the block.
  ///   - start: the position of the block.
  ///   - isLast: true if the stream ends here.
  func compress(
    _ bytes: Span<UInt8>, from start: Int, isLast: Bool
  ) throws(WebP.ExportError) -> ContiguousArray<UInt8> {
    let block = bytes.extracting(start...)
    let sampled = block.count <= 1 << 16 ? sampledEfforts : try sampledEffort(for: block)
    var best = ContiguousArray<UInt8>()
    for effort in efforts + sampled.filter({ !efforts.contains($0) }) {
      var output = ContiguousArray<UInt8>()
      try deflate(bytes, from: start, isLast: isLast, effort, onto: &output)
      if best.isEmpty || output.count < best.count { best = output }
    }
    return best
  }

  /// Selects one of the sampled efforts for a block.
  ///
  /// Filtered photos and smooth drawings have few repetitions except for runs of zeros. Searching for other repetitions
  /// takes several times as long, and often makes the file larger, because distances take bits. Screenshots, text and
  /// images with alpha do have repetitions. Therefore samples of the block are compressed with all efforts. A faster
  /// effort is selected if the result is at most 0.5 % larger.
  private func sampledEffort(for block: Span<UInt8>) throws(WebP.ExportError) -> [DeflateEffort] {
    var sizes: [Int] = []
    for effort in sampledEfforts { sizes.append(try Self.sampleSize(of: block, effort)) }
    let smallest = sizes.min() ?? 0
    return zip(sampledEfforts, sizes).first { $1 <= smallest * 201 / 200 }.map { [$0.0] } ?? []
  }

  /// Returns the compressed size of samples of a block.
  static func sampleSize(of block: Span<UInt8>, _ effort: DeflateEffort) throws(WebP.ExportError) -> Int {
    // Four samples, because one may be of an empty part. Together they are a sixteenth of the block. In smaller samples
    // the prefix codes would take most of the bytes.
    let samples = 4
    let count = min(block.count / samples, max(block.count / (16 * samples), 1 << 10))
    var output = ContiguousArray<UInt8>()
    for index in 0..<samples {
      let start = min(block.count * (2 * index + 1) / (2 * samples), block.count - count)
      try deflate(block.extracting(0..<start + count), from: start, isLast: true, effort, onto: &output)
    }
    return output.count
  }
}
