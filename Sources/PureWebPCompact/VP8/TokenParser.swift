// This file implements the parsing of coefficients, as specified in RFC 6386, section 13. The tree of tokens is a table.

extension BoolDecoder {
  /// Reads the coefficients of a macroblock (RFC 6386, section 13), if it has any.
  ///
  /// - Parameter left: the `front` of the one to the left.
  @inline(never)
  mutating func readCoefficients(
    _ macroblock: inout Macroblock, left: inout UInt32, _ header: FrameHeader, _ probabilities: Span<UInt8>,
    _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int32>
  ) {
    macroblock.hasY2 = false
    macroblock.lumaExtents = 0
    macroblock.chromaExtents = 0
    let usesSubblockModes = macroblock.usesSubblockModes
    if macroblock.isSkipped {
      // So its neighbours see it, but for the Y2 block that it may not have.
      let kept: UInt32 = usesSubblockModes ? 1 << 8 : 0
      macroblock.front &= kept
      left &= kept
      return
    }
    var front = Front(above: macroblock.front, left: left)
    let segment = Int(macroblock.segment)
    func read(_ type: Int, _ size: Int, at bit: UInt32, _ place: Int) -> UInt32 {
      readPlane(
        type, size, at: bit, &front, header.factors(type: type, segment: segment), probabilities, bytes, &coefficients,
        at: place)
    }
    if !usesSubblockModes { macroblock.hasY2 = read(1, 1, at: 8, 0) != 0 }
    macroblock.lumaExtents = read(usesSubblockModes ? 3 : 0, 4, at: 0, Macroblock.luma)
    macroblock.chromaExtents = read(2, 2, at: 4, Macroblock.u) | read(2, 2, at: 6, Macroblock.v) << 8
    macroblock.front = front.above
    left = front.left
  }
}

/// Which blocks above and to the left have coefficients (section 13.3); afterwards, which of a macroblock's have:
///
///     bit   0 … 3          4, 5         6, 7        8
///           luma,          U            V           Y2
///           left to right or top to bottom
private struct Front {
  var above: UInt32
  var left: UInt32
}

extension BoolDecoder {
  /// Decodes a plane's blocks, `size` · `size` of them.
  ///
  /// - Parameters:
  ///   - type: as `coefficientProbabilityIndex` has it.
  ///   - bit: the plane's first in `front`.
  ///   - coefficients: sixteen for each block from `offset` on.
  /// - Returns: two bits for each block, as `Macroblock.lumaExtents` and `chromaExtents` have them.
  @inline(never)
  private mutating func readPlane(
    _ type: Int, _ size: Int, at bit: UInt32, _ front: inout Front, _ factors: BlockFactors,
    _ probabilities: Span<UInt8>, _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int32>, at offset: Int
  ) -> UInt32 {
    var decoder = self  // a local one stays in registers
    let mask = (1 as UInt32) &<< UInt32(truncatingIfNeeded: size) &- 1
    let last = UInt32(truncatingIfNeeded: size &- 1)
    var (above, left) = (front.above &>> bit & mask, front.left &>> bit & mask)
    var codes: UInt32 = 0
    var offset = offset
    for _ in 0..<size {
      // The bits move by one at a time: the next block's are the lowest.
      var isLeftCoded = left & 1
      for _ in 0..<size {
        let context = Int(isLeftCoded &+ above & 1)
        let length = decoder.readBlock(
          type, context: context, factors, probabilities, bytes, &coefficients, at: offset)
        isLeftCoded = length > firstPosition(type: type) ? 1 : 0
        above = above >> 1 | isLeftCoded &<< last
        codes = codes >> 2 | (isLeftCoded == 0 ? 0 : BlockExtent.ofBlock(length: length)) << 30
        offset &+= 16
      }
      left = left >> 1 | isLeftCoded &<< last
    }
    front.above = front.above & ~(mask &<< bit) | above &<< bit
    front.left = front.left & ~(mask &<< bit) | left &<< bit
    self = decoder
    return codes &>> UInt32(truncatingIfNeeded: 32 &- 2 &* size &* size)
  }

  /// Decodes a block.
  ///
  /// - Parameter context: how many of the neighbours to the left and above have coefficients.
  /// - Returns: the position after its last coefficient.
  @inline(__always)
  private mutating func readBlock(
    _ type: Int, context: Int, _ factors: BlockFactors, _ probabilities: Span<UInt8>, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int32>, at offset: Int
  ) -> Int {
    coefficients.clearBlock(at: offset)
    var position = firstPosition(type: type)
    var context = context
    var mayEnd = true
    repeat {
      let odds = type &* 264 &+ Int(firstNodes[position]) &+ context &* 11
      if mayEnd, bit(probabilities[odds], bytes) == 0 { break }  // dct_eob
      // The two most frequent tokens are decoded without the table, so that the processor can predict them.
      var token = 0
      if bit(probabilities[odds &+ 1], bytes) != 0 {
        token = 1
        if bit(probabilities[odds &+ 2], bytes) != 0 {
          token = leaf(of: coefficientTree, from: 6, probabilities, at: odds, bytes)
        }
      }
      context = min(token, 2)
      mayEnd = token != 0  // dct_eob does not follow zeros
      if token != 0 {
        if token > 4 {
          var extra = 0
          var next = Int(firstExtraBits[token &- 5])
          repeat {
            extra = extra << 1 | Int(bit(extraBits[next], bytes))
            next &+= 1
          } while extraBits[next] != 0
          token = Int(smallestMagnitudes[token &- 5]) &+ extra
        }
        let level = sign(Int32(truncatingIfNeeded: token), bytes)
        let coefficient = level &* (position == 0 ? factors.dc : factors.ac)
        coefficients[offset &+ Int(zigzag[position])] = Int32(Int16(truncatingIfNeeded: coefficient))
      }
      position &+= 1
    } while position < 16
    return position
  }
}

/// coeff_tree (section 13.2): leaves are dct_0 to dct_4, dct_cat1 to dct_cat6, dct_eob.
private let coefficientTree: [UInt8] = [
  43, 2, 32, 4, 33, 6, 8, 12, 34, 10, 35, 36, 14, 16, 37, 38, 18, 20, 39, 40, 41, 42,
]

/// The smallest magnitudes of dct_cat1 to dct_cat6. Extra bits are added to them.
private let smallestMagnitudes: [UInt8] = [5, 7, 11, 19, 35, 67]

/// Where the probabilities of each category's extra bits are in `extraBits`.
private let firstExtraBits: [UInt8] = [0, 2, 5, 9, 14, 20]

/// The probabilities of the extra bits. A zero follows each category.
private let extraBits: [UInt8] = [
  159, 0, 165, 145, 0, 173, 148, 140, 0, 176, 155, 140, 135, 0, 180, 157, 141, 134, 130, 0,
  254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0,
]
/// For each position, the index of its band's probabilities in the probabilities of a type: 33 for each band (section
/// 13.3).
private let firstNodes: [UInt8] = [0, 33, 66, 99, 198, 132, 165, 198, 198, 198, 198, 198, 198, 198, 198, 231]
