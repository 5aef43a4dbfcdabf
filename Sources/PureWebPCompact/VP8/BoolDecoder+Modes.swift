// The parsing of macroblock modes (RFC 6386, sections 10 and 11). Trees are tables, or numbers of two bits.

internal import WebPFormat

extension BoolDecoder {
  /// Reads the modes of a macroblock.
  ///
  /// - Parameters:
  ///   - macroblock: on entry, the macroblock above. On return, the macroblock that was read.
  ///   - left: the modes of the subblocks to the left, the uppermost in the lowest byte; 0 is B_DC_PRED.
  mutating func readModes(
    _ macroblock: inout Macroblock, left: inout UInt32, _ header: FrameHeader, _ bytes: Span<UInt8>
  ) {
    if header.segmentation.updatesMap {
      // mb_segment_tree (section 10)
      let probabilities = header.segmentation.treeProbabilities
      let high = literal(1, bytes, probability: probabilities[0])
      let low = literal(1, bytes, probability: high == 0 ? probabilities[1] : probabilities[2])
      macroblock.segment = UInt8(truncatingIfNeeded: high &* 2 &+ low)
    }
    // mb_skip_coeff (section 11.1)
    if let probability = header.skipProbability { macroblock.isSkipped = readBool(probability, bytes) }

    // kf_ymode_tree (section 11.2)
    macroblock.usesSubblockModes = !readBool(145, bytes)
    if macroblock.usesSubblockModes {
      for _ in 0..<4 {
        var mode = Int(left & 0xFF)
        for _ in 0..<4 {
          // Each new mode is inserted at the top, so the mode of the subblock above is four positions lower.
          let above = Int(truncatingIfNeeded: macroblock.subblockModes &>> 48 & 15)
          mode = subblockMode((above &* 10 &+ mode) &* 9, bytes)
          macroblock.subblockModes = macroblock.subblockModes >> 4 | UInt64(truncatingIfNeeded: mode) << 60
        }
        left = left >> 8 | UInt32(truncatingIfNeeded: mode) << 24
      }
    } else {
      let high = literal(1, bytes, probability: 156)
      let mode = high &* 2 &+ literal(1, bytes, probability: high == 0 ? 163 : 128)
      macroblock.lumaMode = MacroblockMode(rawValue: UInt8(truncatingIfNeeded: mode)) ?? .dc
      // The subblock mode that each of the four modes implies for the neighbors (section 11.3).
      let implied = UInt32(0x01_03_02_00) &>> UInt32(bitPattern: mode &* 8) & 0xFF
      left = implied &* 0x0101_0101
      macroblock.subblockModes = UInt64(implied) &* 0x1111_1111_1111_1111
    }

    // uv_mode_tree (section 11.4)
    var mode: Int32 = 0
    if readBool(142, bytes) {
      mode = literal(1, bytes, probability: 114) &+ 1
      if mode == 2 { mode = literal(1, bytes, probability: 183) &+ 2 }
    }
    macroblock.chromaMode = MacroblockMode(rawValue: UInt8(truncatingIfNeeded: mode)) ?? .dc
  }

  /// Reads a bool as a number of one bit, which is smaller than the code of `bool`.
  private mutating func readBool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    literal(1, bytes, probability: probability) != 0
  }

  /// Descends a tree (section 8.1) from a node to a leaf. Trees are as in the RFC, except that leaf n is 32 + n.
  ///
  /// - Parameter start: the index in `probabilities` of the tree's probabilities.
  @inline(__always)
  mutating func leaf(
    of tree: [UInt8], from node: Int, _ probabilities: Span<UInt8>, at start: Int, _ bytes: Span<UInt8>
  ) -> Int {
    var node = node
    repeat {
      node = Int(tree[node &+ (bool(probabilities[start &+ node >> 1], bytes) ? 1 : 0)])
    } while node < 32
    return node &- 32
  }

  /// Reads a subblock mode.
  ///
  /// - Parameter start: the index of its probabilities.
  @inline(never)
  private mutating func subblockMode(_ start: Int, _ bytes: Span<UInt8>) -> Int {
    subblockModeProbabilities.withSpan { leaf(of: subblockModeTree, from: 0, $0, at: start, bytes) }
  }
}

/// bmode_tree (section 11.2).
private let subblockModeTree: [UInt8] = [32, 2, 33, 4, 34, 6, 8, 12, 35, 10, 37, 38, 36, 14, 39, 16, 40, 41]
