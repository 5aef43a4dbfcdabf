// The contexts of blocks (RFC 6386, section 13.3).

internal import WebPFormat

/// The blocks above and to the left of a macroblock that have coefficients. `parse` replaces them by the blocks of the
/// macroblock's bottom row and right column that have coefficients, which are the context for its neighbors.
///
///     bit   0 … 3          4, 5         6, 7        8
///           luma,          U            V           Y2
///           left to right (above) or top to bottom (left)
struct NonzeroContext {
  private(set) var above: UInt32
  private(set) var left: UInt32

  /// Marks all blocks as empty.
  ///
  /// - Parameter keepingY2: true if the macroblock has no Y2 block. The bits of Y2 then do not change.
  mutating func clear(keepingY2: Bool) {
    let kept: UInt32 = keepingY2 ? 1 << 8 : 0
    above &= kept
    left &= kept
  }

  /// Parses the coefficients of a macroblock, and updates the context.
  ///
  /// - Parameter offset: the index of the macroblock's first coefficient.
  @inline(__always)
  mutating func parse<Decoder: CoefficientDecoder>(
    _ macroblock: inout Macroblock, _ tables: TablesByBlockType<Decoder.Tables>, _ decoder: inout Decoder,
    _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int8>, _ offset: Int, _ overflow: inout CoefficientOverflow
  ) {
    @inline(__always) func decode(
      _ plane: CoefficientPlane, _ tables: Decoder.Tables, at bit: UInt32, _ position: Int
    ) -> UInt32 {
      decoder.decode(
        plane, tables, NonzeroContext(above: above >> bit & 15, left: left >> bit & 15), bytes, &coefficients,
        at: offset &+ position, &overflow)
    }
    var y2 = (above: above & 1 << 8, left: left & 1 << 8)
    if macroblock.usesSubblockModes {
      macroblock.lumaExtents = decode(.luma, tables.y1, at: 0, Macroblock.luma)
    } else {
      macroblock.hasY2 = decode(.y2, tables.y2, at: 8, 0) != 0
      y2 = macroblock.hasY2 ? (1 << 8, 1 << 8) : (0, 0)
      macroblock.lumaExtents = decode(.luma, tables.y1WithoutDC, at: 0, Macroblock.luma)
    }
    macroblock.chromaExtents = decode(.chroma, tables.uv, at: 4, Macroblock.u)
    // Bit 2 · n is set if block n has coefficients. The neighbors depend on the last row and the last column.
    let luma = macroblock.lumaExtents | macroblock.lumaExtents >> 1
    let chroma = macroblock.chromaExtents | macroblock.chromaExtents >> 1
    above = y2.above | luma >> 24 & 1 | luma >> 25 & 2 | luma >> 26 & 4 | luma >> 27 & 8
    above |= chroma & 1 << 4 | chroma >> 1 & 1 << 5 | chroma >> 6 & 1 << 6 | chroma >> 7 & 1 << 7
    left = y2.left | luma >> 6 & 1 | luma >> 13 & 2 | luma >> 20 & 4 | luma >> 27 & 8
    left |= chroma << 2 & 1 << 4 | chroma >> 1 & 1 << 5 | chroma >> 4 & 1 << 6 | chroma >> 7 & 1 << 7
  }
}
