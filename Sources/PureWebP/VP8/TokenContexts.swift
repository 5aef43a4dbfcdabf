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
    _ row: inout MacroblockRow, _ trees: BlockTrees<Reader.Tree>, _ factors: [DequantizationFactors],
    _ reader: inout Reader, _ bytes: Span<UInt8>
  ) -> Bool {
    parse(&row.macroblocks, &row.coefficients, trees, factors, &reader, bytes)
  }

  private mutating func parse<Reader: BlockReader>(
    _ macroblocks: inout ContiguousArray<Macroblock>, _ coefficients: inout ContiguousArray<Int16>,
    _ trees: BlockTrees<Reader.Tree>, _ factors: [DequantizationFactors], _ reader: inout Reader,
    _ bytes: Span<UInt8>
  ) -> Bool {
    var macroblocks = macroblocks.mutableSpan
    var coefficients = coefficients.mutableSpan
    while column < macroblocks.count {
      var front = Front(above: above[column], left: left)
      if macroblocks[column].isSkipped {
        // So its neighbours see it, but for the Y2 block that it may not have.
        front.clear(keepingY2: macroblocks[column].usesSubblockModes)
        if reader.isExhausted(bytes) { return false }
      } else {
        var next = reader
        let offset = column &* MacroblockRow.coefficientsPerMacroblock
        front.parse(
          &macroblocks[column], trees, factors[Int(macroblocks[column].segment)], &next, bytes, &coefficients, offset)
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

  @inline(__always)
  private func context(x: Int, y: Int) -> Int {
    Int(truncatingIfNeeded: above >> UInt32(truncatingIfNeeded: x) & 1 &+ left >> UInt32(truncatingIfNeeded: y) & 1)
  }

  @inline(__always)
  private mutating func set(x: Int, y: Int, _ hasCoefficients: Bool) {
    let bit: UInt32 = hasCoefficients ? 1 : 0
    let (x, y) = (UInt32(truncatingIfNeeded: x), UInt32(truncatingIfNeeded: y))
    above = above & ~(1 &<< x) | bit &<< x
    left = left & ~(1 &<< y) | bit &<< y
  }

  /// - Parameter offset: of the macroblock's coefficients.
  @inline(__always)
  mutating func parse<Reader: BlockReader>(
    _ macroblock: inout Macroblock, _ trees: BlockTrees<Reader.Tree>, _ factors: DequantizationFactors,
    _ reader: inout Reader, _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int16>, _ offset: Int
  ) {
    if macroblock.usesSubblockModes {
      macroblock.lumaCodes = plane(
        4, at: 0, trees.y1WithDC, first: 0, factors.y1, &reader, bytes, &coefficients, offset)
    } else {
      let length = reader.block(
        trees.y2, first: 0, context: context(x: 8, y: 8), bytes, factors: factors.y2, &coefficients,
        at: offset &+ MacroblockRow.y2Offset)
      set(x: 8, y: 8, length > 0)
      macroblock.y2Length = UInt8(truncatingIfNeeded: length)
      macroblock.lumaCodes = plane(4, at: 0, trees.y1, first: 1, factors.y1, &reader, bytes, &coefficients, offset)
    }
    let u = plane(2, at: 4, trees.uv, first: 0, factors.uv, &reader, bytes, &coefficients, offset &+ 256)
    let v = plane(2, at: 6, trees.uv, first: 0, factors.uv, &reader, bytes, &coefficients, offset &+ 320)
    macroblock.chromaCodes = u | v << 8
  }

  /// The blocks of a plane, `size` · `size` of them, and their codes.
  ///
  /// - Parameters:
  ///   - bit: where the plane's bits are.
  ///   - offset: of the first block's coefficients.
  @inline(__always)
  private mutating func plane<Reader: BlockReader>(
    _ size: Int, at bit: Int, _ tree: Reader.Tree, first: Int, _ factors: SIMD16<Int16>, _ reader: inout Reader,
    _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int16>, _ offset: Int
  ) -> UInt32 {
    var codes: UInt32 = 0
    for y in 0..<size {
      for x in 0..<size {
        let block = y &* size &+ x
        let place = offset &+ block &* 16
        let length = reader.block(
          tree, first: first, context: context(x: bit &+ x, y: bit &+ y), bytes, factors: factors, &coefficients,
          at: place)
        set(x: bit &+ x, y: bit &+ y, length > first)
        guard length > first else { continue }
        let code =
          length > 3
          ? CoefficientCode.full
          : length > 1
            ? CoefficientCode.short : coefficients[place] != 0 ? CoefficientCode.dcOnly : CoefficientCode.empty
        codes |= code &<< UInt32(truncatingIfNeeded: block &* 2)
      }
    }
    return codes
  }
}
