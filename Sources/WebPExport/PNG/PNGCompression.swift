import PureWebP

extension WebP {
  /// How much time a PNG may take to become small.
  public enum PNGCompression: Hashable, Sendable {
    /// Whatever suits the picture: on photos several times as fast as level 6, and as small.
    case automatic
    /// zlib's levels: 0 (not at all), 1 (fast) ... 9 (small).
    case level(Int)
  }
}

extension WebP.PNGCompression {
  /// The way to compress a block.
  ///
  /// Filtered photos hold little that repeats but runs of zeros: to look hard for anything else takes several times as
  /// long, and often makes the file larger, because distances cost bits. Drawings and pictures with alpha do repeat. A
  /// sample of the bytes, compressed in several ways, tells them apart.
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
    // What becomes as small as this is drawn, and takes little time.
    guard smallest * 4 > count else { return thorough }
    let (runs, fast) = (try size(.runs), try size(.level(3)))
    let enough = min(smallest, runs, fast) * 201 / 200
    return runs <= enough ? .runs : fast <= enough ? .level(3) : thorough
  }
}
