// Which blocks have coefficients: the context of the blocks to their right and below (RFC 6386, section 13.3). A
// macroblock leaves nine such bits to each side:
//
//   bit   0 … 3          4, 5         6, 7        8
//         luma,          U            V           Y2
//         left to right (of the row below) or top to bottom (of the macroblock to the right)

/// The contexts along the front of what has been parsed.
struct TokenContexts {
  private var above: ContiguousArray<UInt32>
  private var left: UInt32 = 0
  /// Of the next macroblock.
  private var column = 0

  init(columns: Int) {
    above = .init(repeating: 0, count: columns)
  }

  /// Parses a row of macroblocks, or what is left of it. False: the bytes end before the row does.
  mutating func parseRow<Reader: BlockReader>(
    _ row: inout MacroblockRow, _ trees: BlockTrees<Reader.Tree>, _ reader: inout Reader, _ bytes: Span<UInt8>
  ) -> Bool {
    parse(&row.macroblocks, &row.coefficients, trees, &reader, bytes)
  }

  private mutating func parse<Reader: BlockReader>(
    _ macroblocks: inout ContiguousArray<Macroblock>, _ coefficients: inout ContiguousArray<Int16>,
    _ trees: BlockTrees<Reader.Tree>, _ reader: inout Reader, _ bytes: Span<UInt8>
  ) -> Bool {
    var macroblocks = macroblocks.mutableSpan
    var coefficients = coefficients.mutableSpan
    while column < macroblocks.count {
      var front = Front(above: above[column], left: left)
      if macroblocks[column].isSkipped {
        // So its neighbours see it, but for the Y2 block that it may not have.
        front.clear(keepingY2: macroblocks[column].usesSubblockModes)
      } else {
        var next = reader
        let offset = column &* MacroblockRow.coefficientsPerMacroblock
        front.parse(&macroblocks[column], trees, &next, bytes, &coefficients, offset)
        if next.isExhausted(bytes) { return false }
        reader = next
      }
      above[column] = front.above
      left = front.left
      column += 1
    }
    column = 0
    left = 0
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

  /// - Parameter offset: of the macroblock's coefficients.
  @inline(__always)
  mutating func parse<Reader: BlockReader>(
    _ macroblock: inout Macroblock, _ trees: BlockTrees<Reader.Tree>, _ reader: inout Reader, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int16>, _ offset: Int
  ) {
    if macroblock.usesSubblockModes {
      macroblock.lumaCodes = plane(4, at: 0, trees.y1WithDC, &reader, bytes, &coefficients, offset)
    } else {
      let y2 = plane(1, at: 8, trees.y2, &reader, bytes, &coefficients, offset &+ MacroblockRow.y2Offset)
      macroblock.hasY2 = y2 != 0
      macroblock.lumaCodes = plane(4, at: 0, trees.y1, &reader, bytes, &coefficients, offset)
    }
    let u = plane(2, at: 4, trees.uv, &reader, bytes, &coefficients, offset &+ 256)
    let v = plane(2, at: 6, trees.uv, &reader, bytes, &coefficients, offset &+ 320)
    macroblock.chromaCodes = u | v << 8
  }

  /// The blocks of a plane, `size` · `size` of them, and their codes.
  ///
  /// - Parameters:
  ///   - bit: where the plane's bits are.
  ///   - offset: of the first block's coefficients.
  @inline(never)
  private mutating func plane<Reader: BlockReader>(
    _ size: Int, at bit: UInt32, _ tree: Reader.Tree, _ source: inout Reader, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int16>, _ offset: Int
  ) -> UInt32 {
    var reader = source  // a local one stays in registers
    defer { source = reader }
    var codes: UInt32 = 0
    var place = offset
    let mask: UInt32 = 1 << UInt32(size) &- 1
    var above = self.above >> bit & mask
    var left = self.left >> bit & mask
    for _ in 0..<size {
      // Here, too, the bits move by one at a time: the next block's are the lowest.
      var isLeftCoded = left & 1
      for _ in 0..<size {
        codes >>= 2
        let context = Int(truncatingIfNeeded: isLeftCoded &+ above & 1)
        above >>= 1
        if reader.startsBlock(tree, context: context, bytes) {
          isLeftCoded = 1
          above |= 1 << UInt32(size &- 1)
          let length = reader.finishBlock(tree, context: context, bytes, &coefficients, at: place)
          codes |= CoefficientCode.ofBlock(length: length) << 30
        } else {
          isLeftCoded = 0
        }
        place &+= 16
      }
      left = left >> 1 | isLeftCoded << UInt32(size &- 1)
    }
    self.above = self.above & ~(mask << bit) | above << bit
    self.left = self.left & ~(mask << bit) | left << bit
    return codes >> UInt32(32 &- 2 &* size &* size)
  }
}
