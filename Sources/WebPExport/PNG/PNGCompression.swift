import PureWebP

extension WebP {
  /// The trade-off between the compression time and the size of a PNG.
  public enum PNGCompression: Hashable, Sendable {
    /// Selects the compression by the contents of the image. For photos, this is several times as fast as level 6, with
    /// files of the same size.
    case automatic
    /// zlib's levels: 0 (no compression), 1 (fast) ... 9 (small).
    case level(Int)
  }
}

extension WebP.PNGCompression {
  /// Selects the compression effort for a block.
  ///
  /// Filtered photos have few repetitions except for runs of zeros. Searching for other repetitions takes several times
  /// as long, and often makes the file larger, because distances take bits. Drawings and images with alpha do have
  /// repetitions. To distinguish the two cases, a sample of the bytes is compressed with several efforts.
  func effort(for block: Span<UInt8>) throws(WebP.ExportError) -> DeflateEffort {
    if case .level(let level) = self { return .level(level) }
    let thorough = DeflateEffort.level(6)
    let count = block.count / 16
    guard count >= 1 << 10 else { return thorough }
    let middle = (block.count - count) / 2
    let sample = block.extracting(middle..<middle + count)
    let before = block.extracting(max(0, middle - deflateWindow)..<middle)
    func size(_ effort: DeflateEffort) throws(WebP.ExportError) -> Int {
      var output = ContiguousArray<UInt8>()
      try deflate(sample, after: before, isLast: true, effort, onto: &output)
      return output.count
    }

    let smallest = try size(thorough)
    // A block that compresses this well is a drawing, which takes little time to compress.
    guard smallest * 4 > count else { return thorough }
    let (runs, fast) = (try size(.runs), try size(.level(3)))
    let enough = min(smallest, runs, fast) * 201 / 200
    return runs <= enough ? .runs : fast <= enough ? .level(3) : thorough
  }
}
