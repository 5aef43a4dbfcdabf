// The coefficients of a macroblock's blocks (RFC 6386, section 13): what reads them.

/// The blocks of a macroblock that are coded one after another, with the same probabilities.
enum BlockGroup {
  /// One block.
  case y2
  /// Four rows of four.
  case luma
  /// Two rows of two for U, then as many for V.
  case chroma

  @inline(__always)
  var count: Int {
    switch self {
    case .y2: 1
    case .luma: 16
    case .chroma: 8
    }
  }
}

/// Decodes the blocks of one token partition, one after another.
protocol BlockReader {
  /// What a type of block is read with.
  associatedtype Tree: Sendable

  /// Whether a bool was asked for that the bytes do not hold: what has been decoded from then on means nothing.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool

  /// Decodes a group of blocks.
  ///
  /// - Parameters:
  ///   - above: whether the blocks above have coefficients, a bit for each column; those of V begin with bit 2.
  ///   - left: the same for the blocks to the left, a bit for each row.
  ///   - levels: the bytes of `CodedLevels`, sixteen for each block from `offset` on, in raster order. Empty blocks get
  ///     zeros.
  ///   - large: gets the levels that a byte does not hold.
  /// - Returns: two bits for each block, as `Macroblock.lumaCodes` and `chromaCodes` have them.
  mutating func read(
    _ group: BlockGroup, _ tree: Tree, above: UInt32, left: UInt32, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, at offset: Int, _ large: inout LargeLevels
  ) -> UInt32
}
