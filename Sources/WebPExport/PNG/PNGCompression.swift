import PureWebP

extension WebP {
  /// The trade-off between the compression time and the size of a PNG.
  @nonexhaustive
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
  private func efforts(isIndexed: Bool) -> [Effort] {
    // Indices have long repetitions, of which zlib finds more.
    let automatic = isIndexed ? Effort.zlib(.level(6)) : .estimated
    let fast: [Effort] = [.zlib(.level(1)), .zlib(.runs)]
    let slow: [Effort] = [
      .own(.runs), .own(.repetitions()), .zlib(.level(3)), .zlib(.filtered(6)), .zlib(.level(6)), .zlib(.filtered(9)),
      .zlib(.level(9)),
    ]
    return switch self {
    case .automatic: [automatic]
    case .level(let level) where level <= 1: [.zlib(.level(level))]
    case .level(...4): fast
    case .level(...8): [automatic] + fast
    case .level: [automatic] + fast + slow
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
  ///   - prefix: the bytes that precede the block in the result.
  ///   - isLast: true if the stream ends here.
  ///   - isIndexed: whether the pixels are indices of a palette.
  func compress(
    _ bytes: Span<UInt8>, from start: Int, after prefix: ContiguousArray<UInt8>, isLast: Bool, isIndexed: Bool
  ) throws(WebP.ExportError) -> ContiguousArray<UInt8> {
    try Effort.smallest(of: efforts(isIndexed: isIndexed), bytes, from: start, after: prefix, isLast: isLast)
  }
}
