// The parsing of macroblock modes from the first partition (RFC 6386, sections 8, 10 and 11).
//
// A subblock's mode is coded in the context of the modes above it and to the left. The parser stores the bottom row and
// the right column of the modes parsed so far:
//
//                 above: 4 per macroblock, as wide as the image
//                 ├───┬───┬───┬───┤
//       left ─────┤ 0 │ 1 │ 2 │ 3 │
//        4 per    ├───┼───┼───┼───┤
//     macroblock  │ 4 │ 5 │ 6 │ 7 │
//                 …

internal import WebPFormat

/// Parses the modes of a frame's macroblocks, row by row.
struct ModeParser {
  /// The modes of the subblocks above the next row.
  private var above: ContiguousArray<UInt8>
  private let segmentation: Segmentation
  private let skipProbability: UInt8?
  private var reader: PartitionReader
  /// The first partition.
  let partition: Range<Int>
  /// The number of rows of macroblocks, and the number of rows whose modes have been parsed.
  let rowCount: Int
  private(set) var rowsParsed = 0

  /// - Parameter decoder: positioned at the modes of the first macroblock.
  init(_ header: FrameHeader, decoder: BoolDecoder, partition: Range<Int>) {
    self.partition = partition
    rowCount = header.macroblockRows
    segmentation = header.segmentation
    skipProbability = header.skipProbability
    above = .init(filledWith: SubblockMode.dc.rawValue, count: 4 * header.macroblockColumns)
    reader = if let bools = LazyBoolDecoder(decoder) { .lazy(bools) } else { .outside(OutsideBoolDecoder(decoder)) }
  }

  /// Parses the modes of the next row.
  ///
  /// - Returns: false if the first partition ends before the modes do.
  mutating func parseRow(_ row: inout MacroblockRow, _ bytes: Span<UInt8>) -> Bool {
    let bytes = bytes.extracting(partition)
    let isParsed: Bool
    switch reader {
    case .lazy(var bools):
      isParsed = parseRow(&row, &bools, bytes)
      reader = .lazy(bools)
    case .outside(var bools):
      isParsed = parseRow(&row, &bools, bytes)
      reader = .outside(bools)
    }
    if isParsed { rowsParsed += 1 }
    return isParsed
  }

  private mutating func parseRow<Bools: BoolReader>(
    _ row: inout MacroblockRow, _ source: inout Bools, _ bytes: Span<UInt8>
  ) -> Bool {
    var decoder = source  // a local copy stays in registers
    let segmentation = self.segmentation
    let skipProbability = self.skipProbability
    var left: UInt32 = 0  // four modes, the uppermost in the lowest byte; 0 is B_DC_PRED
    var above = self.above.mutableSpan
    var macroblocks = row.macroblocks.mutableSpan
    for column in 0..<macroblocks.count {
      var macroblock = Macroblock()
      if segmentation.updatesMap {
        let probabilities = segmentation.treeProbabilities
        macroblock.segment =
          decoder.bool(probabilities[0], bytes)
          ? (decoder.bool(probabilities[2], bytes) ? 3 : 2) : (decoder.bool(probabilities[1], bytes) ? 1 : 0)
      }
      if let skipProbability { macroblock.isSkipped = decoder.bool(skipProbability, bytes) }

      // kf_ymode_tree (section 11.2)
      if decoder.bool(145, bytes) {
        let mode: MacroblockMode =
          decoder.bool(156, bytes)
          ? (decoder.bool(128, bytes) ? .trueMotion : .horizontal) : (decoder.bool(163, bytes) ? .vertical : .dc)
        macroblock.lumaMode = mode
        let implied = UInt32(mode.impliedSubblockMode.rawValue) &* 0x0101_0101
        left = implied
        for index in 0..<4 { above[4 &* column &+ index] = UInt8(truncatingIfNeeded: implied) }
      } else {
        macroblock.usesSubblockModes = true
        macroblock.subblockModes = Self.subblockModes(&decoder, &above, at: 4 &* column, &left, bytes)
      }

      // uv_mode_tree (section 11.4)
      if decoder.bool(142, bytes) {
        macroblock.chromaMode =
          decoder.bool(114, bytes) ? (decoder.bool(183, bytes) ? .trueMotion : .horizontal) : .vertical
      }
      macroblocks[column] = macroblock
    }
    source = decoder
    return !decoder.isExhausted(bytes)
  }

  /// Reads the modes of sixteen subblocks in raster order, four bits each (section 11.3).
  @inline(__always)
  private static func subblockModes<Bools: BoolReader>(
    _ decoder: inout Bools, _ above: inout MutableSpan<UInt8>, at column: Int, _ left: inout UInt32,
    _ bytes: Span<UInt8>
  ) -> UInt64 {
    var modes: UInt64 = 0
    var newLeft: UInt32 = 0
    for y in 0..<4 {
      var mode = Int(left & 0xFF)
      left >>= 8
      for x in 0..<4 {
        let index = (Int(above[column &+ x]) &* 10 &+ mode) &* 9
        mode = Self.subblockMode(&decoder, probabilitiesAt: index, bytes)
        above[column &+ x] = UInt8(truncatingIfNeeded: mode)
        modes |= UInt64(truncatingIfNeeded: mode) &<< UInt64(truncatingIfNeeded: (y &* 4 &+ x) &* 4)
      }
      newLeft |= UInt32(truncatingIfNeeded: mode) &<< UInt32(truncatingIfNeeded: y &* 8)
    }
    left = newLeft
    return modes
  }

  /// Reads a mode by bmode_tree (section 11.2).
  @inline(__always)
  private static func subblockMode<Bools: BoolReader>(
    _ decoder: inout Bools, probabilitiesAt index: Int, _ bytes: Span<UInt8>
  ) -> Int {
    @inline(__always) func probability(_ node: Int) -> UInt8 { subblockModeProbabilities[index &+ node] }
    if !decoder.bool(probability(0), bytes) { return Int(SubblockMode.dc.rawValue) }
    if !decoder.bool(probability(1), bytes) { return Int(SubblockMode.trueMotion.rawValue) }
    if !decoder.bool(probability(2), bytes) { return Int(SubblockMode.vertical.rawValue) }
    // The remaining bools are unpredictable, so the code is branch-free. `mask` has no effect for a bool that is not
    // coded.
    let first = decoder.mask(probability(3), if: -1, bytes)
    let isFirst = UInt8(truncatingIfNeeded: first)
    let second = decoder.mask(probability(4) & ~isFirst | probability(6) & isFirst, if: -1, bytes)
    let third = decoder.mask(probability(5) & ~isFirst | probability(7) & isFirst, if: second, bytes)
    let fourth = decoder.mask(probability(8), if: first & third, bytes)
    // The constant contains the mode of each of the sixteen outcomes in four bits. Outcome 0000 is in the lowest four.
    // Outcomes begin with 00 for horizontal, 010 for rightDown, 011 for verticalRight, 10 for leftDown, 110 for
    // verticalLeft, 1110 for horizontalDown, and 1111 for horizontalUp.
    let outcome = first & 8 | second & 4 | third & 2 | fourth & 1
    return Int(truncatingIfNeeded: 0x9877_4444_6655_3333 as UInt64 &>> UInt64(truncatingIfNeeded: 4 &* outcome)) & 15
  }
}

extension MacroblockMode {
  /// The subblock mode that serves as context for the neighbors of a macroblock without subblock modes (section 11.3).
  fileprivate var impliedSubblockMode: SubblockMode {
    switch self {
    case .dc: .dc
    case .vertical: .vertical
    case .horizontal: .horizontal
    case .trueMotion: .trueMotion
    }
  }
}
