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

/// Chooses how a picture's bytes are compressed, in turns, as they come.
///
/// Filtered photos hold nothing that repeats but runs of zeros: to look for anything else takes several times as long
/// and often makes the file larger, because distances cost bits. Drawings and pictures with alpha do repeat. A sample
/// of the bytes, compressed both ways now and then, tells them apart.
struct EffortChooser {
  /// How many bytes are compressed in one way, at least.
  static let bandBytes = 1 << 18

  private let compression: WebP.PNGCompression
  private let isFiltered: Bool
  private var band = 0
  private var effort: Deflater.Effort
  private var trial: Deflater?

  private static let bandsPerSample = 4

  /// - Parameter isFiltered: whether the bytes have gone through filters.
  init(_ compression: WebP.PNGCompression, isFiltered: Bool) {
    self.compression = compression
    self.isFiltered = isFiltered
    let level = if case .level(let level) = compression { min(max(level, 0), 9) } else { 6 }
    effort = isFiltered ? .filtered(level: level) : .plain(level: level)
  }

  /// The way to compress `bytes`, the next band.
  mutating func next(_ bytes: ContiguousArray<UInt8>) throws(WebP.ExportError) -> Deflater.Effort {
    defer { band += 1 }
    guard compression == .automatic, band % Self.bandsPerSample == 0 else { return effort }
    let trial = if let trial { trial } else { try Deflater(.runs) }
    self.trial = trial
    let thorough = isFiltered ? Deflater.Effort.filtered(level: 6) : .plain(level: 6)
    effort = thorough
    var smallest = trial.size(ofSampleOf: bytes, thorough)
    for fast in [Deflater.Effort.plain(level: 1), .runs] {
      let size = trial.size(ofSampleOf: bytes, fast)
      // By a little at least: what follows may have repetitions that the sample is too small to show.
      if size + size / 128 <= smallest { (smallest, effort) = (size, fast) }
    }
    return effort
  }
}

extension Deflater {
  /// How many bytes some of `bytes` take: four pieces, a quarter of a band together, from one end to the other.
  fileprivate func size(ofSampleOf bytes: ContiguousArray<UInt8>, _ effort: Effort) -> Int {
    restart(effort)
    var output = ContiguousArray<UInt8>()
    let piece = min(EffortChooser.bandBytes / 16, bytes.count / 4)
    for quarter in 0..<4 {
      let start = (bytes.count - piece) * quarter / 3
      compress(bytes.span.extracting(start..<start + piece), onto: &output)
    }
    compress(ContiguousArray<UInt8>().span, flush: .finish, onto: &output)
    return output.count
  }
}
