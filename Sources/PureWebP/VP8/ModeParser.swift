// The modes of macroblocks (RFC 6386, sections 8, 10 and 11), from the first partition.
//
// A subblock's mode is coded in the context of the modes above it and to the left, which are kept as the bottom row
// and right column of what has been parsed:
//
//                 above: 4 per macroblock, the whole picture wide
//                 ├───┬───┬───┬───┤
//       left ─────┤ 0 │ 1 │ 2 │ 3 │
//        4 per    ├───┼───┼───┼───┤
//     macroblock  │ 4 │ 5 │ 6 │ 7 │
//                 …

/// Parses the modes of a frame, row by row.
struct ModeParser {
  private var decoder: BoolDecoder
  private var above: ContiguousArray<UInt8>
  private let segmentation: Segmentation
  private let skipProbability: UInt8?

  /// - Parameter decoder: at the first macroblock's modes.
  init(_ header: FrameHeader, decoder: BoolDecoder) {
    self.decoder = decoder
    segmentation = header.segmentation
    skipProbability = header.skipProbability
    above = .init(repeating: SubblockMode.dc.rawValue, count: 4 * header.macroblockColumns)
  }

  /// Parses the modes of the next row. False: the first partition ends before them.
  mutating func parseRow(_ row: inout MacroblockRow, _ bytes: Span<UInt8>) -> Bool {
    var decoder = self.decoder
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

      // uv_mode_tree (section 11.2)
      if decoder.bool(142, bytes) {
        macroblock.chromaMode =
          decoder.bool(114, bytes) ? (decoder.bool(183, bytes) ? .trueMotion : .horizontal) : .vertical
      }
      macroblocks[column] = macroblock
    }
    self.decoder = decoder
    return !decoder.isExhausted(bytes)
  }

  /// The modes of sixteen subblocks in raster order, four bits each (section 11.3).
  @inline(__always)
  private static func subblockModes(
    _ decoder: inout BoolDecoder, _ above: inout MutableSpan<UInt8>, at column: Int, _ left: inout UInt32,
    _ bytes: Span<UInt8>
  ) -> UInt64 {
    var modes: UInt64 = 0
    var newLeft: UInt32 = 0
    for y in 0..<4 {
      var mode = Int(left & 0xFF)
      left >>= 8
      for x in 0..<4 {
        let probabilities = (Int(above[column &+ x]) &* 10 &+ mode) &* 9
        mode = Self.subblockMode(&decoder, probabilities, bytes)
        above[column &+ x] = UInt8(truncatingIfNeeded: mode)
        modes |= UInt64(truncatingIfNeeded: mode) &<< UInt64(truncatingIfNeeded: (y &* 4 &+ x) &* 4)
      }
      newLeft |= UInt32(truncatingIfNeeded: mode) &<< UInt32(truncatingIfNeeded: y &* 8)
    }
    left = newLeft
    return modes
  }

  /// bmode_tree (section 11.2).
  @inline(__always)
  private static func subblockMode(_ decoder: inout BoolDecoder, _ probabilities: Int, _ bytes: Span<UInt8>) -> Int {
    @inline(__always) func bool(_ node: Int) -> Bool {
      decoder.bool(subblockModeProbabilities[probabilities &+ node], bytes)
    }
    let mode: SubblockMode
    if !bool(0) {
      mode = .dc
    } else if !bool(1) {
      mode = .trueMotion
    } else if !bool(2) {
      mode = .vertical
    } else if !bool(3) {
      mode = !bool(4) ? .horizontal : !bool(5) ? .rightDown : .verticalRight
    } else if !bool(6) {
      mode = .leftDown
    } else if !bool(7) {
      mode = .verticalLeft
    } else {
      mode = !bool(8) ? .horizontalDown : .horizontalUp
    }
    return Int(mode.rawValue)
  }
}

extension MacroblockMode {
  /// What the neighbours of a macroblock without subblock modes take its subblocks' modes to be (section 11.3).
  fileprivate var impliedSubblockMode: SubblockMode {
    switch self {
    case .dc: .dc
    case .vertical: .vertical
    case .horizontal: .horizontal
    case .trueMotion: .trueMotion
    }
  }
}
