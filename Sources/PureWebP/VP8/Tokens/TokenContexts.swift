// Which blocks have coefficients: the context of the blocks to their right and below (RFC 6386, section 13.3). A
// macroblock leaves nine such bits to each side:
//
//   bit   0 … 3          4, 5         6, 7        8
//         luma,          U            V           Y2
//         left to right (of the row below) or top to bottom (of the macroblock to the right)

/// The contexts along the front of what has been parsed.
struct TokenContexts {
  private var above: ContiguousArray<UInt32>
  private var next = Next()

  /// The macroblock at which parsing goes on when more bytes have come.
  private struct Next {
    var column = 0
    var left: UInt32 = 0
  }

  init(columns: Int) {
    above = .init(repeating: 0, count: columns)
  }

  /// Parses a row of macroblocks, or what is left of it. False: the bytes end before the row does.
  mutating func parseRow<Reader: BlockReader>(
    _ row: inout MacroblockRow, _ trees: BlockTrees<Reader.Tree>, _ reader: inout Reader, _ bytes: Span<UInt8>
  ) -> Bool {
    Self.parse(&above, &next, &row.macroblocks, &row.levels.bytes, &row.levels.large, trees, &reader, bytes)
  }

  private static func parse<Reader: BlockReader>(
    _ above: inout ContiguousArray<UInt32>, _ next: inout Next, _ macroblocks: inout ContiguousArray<Macroblock>,
    _ levels: inout ContiguousArray<Int8>, _ large: inout LargeLevels, _ trees: BlockTrees<Reader.Tree>,
    _ source: inout Reader, _ bytes: Span<UInt8>
  ) -> Bool {
    var above = above.mutableSpan
    var macroblocks = macroblocks.mutableSpan
    var levels = levels.mutableSpan
    while next.column < macroblocks.count {
      let column = next.column
      let offset = column &* CodedLevels.perMacroblock
      // Of an earlier row, or from when the bytes ended in this macroblock.
      large.removeAll(from: offset)
      var front = Front(above: above[column], left: next.left)
      if macroblocks[column].isSkipped {
        // So its neighbours see it, but for the Y2 block that it may not have.
        front.clear(keepingY2: macroblocks[column].usesSubblockModes)
      } else {
        var reader = source
        front.parse(&macroblocks[column], trees, &reader, bytes, &levels, offset, &large)
        if reader.isExhausted(bytes) { return false }
        source = reader
      }
      above[column] = front.above
      next = Next(column: column + 1, left: front.left)
    }
    next = Next()
    return true
  }
}

/// The bits above and to the left of a macroblock, which become those that it leaves.
private struct Front {
  private(set) var above: UInt32
  private(set) var left: UInt32

  mutating func clear(keepingY2: Bool) {
    let kept: UInt32 = keepingY2 ? 1 << 8 : 0
    above &= kept
    left &= kept
  }

  /// - Parameter offset: of the macroblock's levels.
  @inline(__always)
  mutating func parse<Reader: BlockReader>(
    _ macroblock: inout Macroblock, _ trees: BlockTrees<Reader.Tree>, _ reader: inout Reader, _ bytes: Span<UInt8>,
    _ levels: inout MutableSpan<Int8>, _ offset: Int, _ large: inout LargeLevels
  ) {
    @inline(__always) func read(_ group: BlockGroup, _ tree: Reader.Tree, at bit: UInt32, _ place: Int) -> UInt32 {
      reader.read(
        group, tree, above: above >> bit & 15, left: left >> bit & 15, bytes, &levels, at: offset &+ place, &large)
    }
    var y2 = (above: above & 1 << 8, left: left & 1 << 8)
    if macroblock.usesSubblockModes {
      macroblock.lumaCodes = read(.luma, trees.y1, at: 0, CodedLevels.luma)
    } else {
      macroblock.hasY2 = read(.y2, trees.y2, at: 8, 0) != 0
      y2 = macroblock.hasY2 ? (1 << 8, 1 << 8) : (0, 0)
      macroblock.lumaCodes = read(.luma, trees.y1WithoutDC, at: 0, CodedLevels.luma)
    }
    macroblock.chromaCodes = read(.chroma, trees.uv, at: 4, CodedLevels.u)
    // Bit 2 · n: whether block n has coefficients. What the neighbours see are the last row and the last column.
    let luma = macroblock.lumaCodes | macroblock.lumaCodes >> 1
    let chroma = macroblock.chromaCodes | macroblock.chromaCodes >> 1
    above = y2.above | luma >> 24 & 1 | luma >> 25 & 2 | luma >> 26 & 4 | luma >> 27 & 8
    above |= chroma & 1 << 4 | chroma >> 1 & 1 << 5 | chroma >> 6 & 1 << 6 | chroma >> 7 & 1 << 7
    left = y2.left | luma >> 6 & 1 | luma >> 13 & 2 | luma >> 20 & 4 | luma >> 27 & 8
    left |= chroma << 2 & 1 << 4 | chroma >> 1 & 1 << 5 | chroma >> 4 & 1 << 6 | chroma >> 7 & 1 << 7
  }
}
