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
  /// Filtered photos and smooth drawings have few repetitions except for runs of zeros. Searching for other repetitions
  /// takes several times as long, and often makes the file larger, because distances take bits. Screenshots, text and
  /// images with alpha do have repetitions. To distinguish the two cases, samples of the block are compressed with
  /// several efforts.
  func effort(for block: Span<UInt8>) throws(WebP.ExportError) -> DeflateEffort {
    if case .level(let level) = self { return .level(level) }
    let thorough = DeflateEffort.level(6)
    // Four samples, because one may be of an empty part. Together they are a sixteenth of the block.
    let samples = 4
    let count = block.count / (16 * samples)
    // In smaller samples the prefix codes would take most of the bytes.
    guard count >= 1 << 8 else { return thorough }
    func size(_ effort: DeflateEffort) throws(WebP.ExportError) -> Int {
      var output = ContiguousArray<UInt8>()
      for index in 0..<samples {
        let start = block.count * (2 * index + 1) / (2 * samples)
        let before = block.extracting(max(0, start - deflateWindow)..<start)
        try deflate(block.extracting(start..<start + count), after: before, isLast: true, effort, onto: &output)
      }
      return output.count
    }

    let (smallest, runs, fast) = (try size(thorough), try size(.runs), try size(.level(3)))
    let enough = min(smallest, runs, fast) * 201 / 200
    return runs <= enough ? .runs : fast <= enough ? .level(3) : thorough
  }
}
