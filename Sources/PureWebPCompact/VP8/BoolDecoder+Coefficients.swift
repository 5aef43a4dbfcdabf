// The parsing of coefficients (RFC 6386, section 13). The tree of tokens is a table.

internal import WebPFormat

extension BoolDecoder {
  /// Reads the coefficients of a macroblock, if it has any.
  @inline(never)
  mutating func readCoefficients(
    _ macroblock: inout Macroblock, _ context: inout NonzeroContext, _ header: FrameHeader,
    _ probabilities: Span<UInt8>, _ bytes: Span<UInt8>, _ coefficients: inout MutableSpan<Int32>
  ) {
    macroblock.hasY2 = false
    macroblock.lumaExtents = 0
    macroblock.chromaExtents = 0
    let usesSubblockModes = macroblock.usesSubblockModes
    if macroblock.isSkipped {
      // The blocks count as empty. If the macroblock has no Y2 block, the context of Y2 does not change.
      let kept: UInt32 = usesSubblockModes ? 1 << 8 : 0
      context.above &= kept
      context.left &= kept
      return
    }
    let index = header.quantizerIndex(ofSegment: Int(macroblock.segment))
    func read(_ type: Int, _ size: Int, at bit: UInt32, _ offset: Int) -> UInt32 {
      let plane = CoefficientPlane(
        type: type, size: size, contextBit: bit, offset: offset,
        factors: header.quantizer.factors(ofType: type, index: index))
      return readPlane(plane, &context, probabilities, bytes, &coefficients)
    }
    if !usesSubblockModes { macroblock.hasY2 = read(1, 1, at: 8, 0) != 0 }
    macroblock.lumaExtents = read(usesSubblockModes ? 3 : 0, 4, at: 0, Macroblock.luma)
    macroblock.chromaExtents = read(2, 2, at: 4, Macroblock.u) | read(2, 2, at: 6, Macroblock.v) << 8
  }
}

/// The blocks above and to the left that have coefficients (section 13.3). After parsing, the macroblock's own blocks
/// in the last row and in the last column:
///
///     bit   0 … 3          4, 5         6, 7        8
///           luma,          U            V           Y2
///           left to right or top to bottom
struct NonzeroContext {
  var above: UInt32
  var left: UInt32
}

/// The blocks of one plane of a macroblock: `size` rows of `size` blocks.
private struct CoefficientPlane {
  /// The type of block, as in `coefficientProbabilityIndex`.
  let type: Int
  let size: Int
  /// The plane's first bit in a `NonzeroContext`.
  let contextBit: UInt32
  /// The index of the first coefficient. Each block has sixteen.
  let offset: Int
  let factors: (dc: Int32, ac: Int32)
}

extension BoolDecoder {
  /// Reads the blocks of a plane.
  ///
  /// - Returns: the extents of the blocks, two bits each, as in `Macroblock.lumaExtents` and `chromaExtents`.
  @inline(never)
  private mutating func readPlane(
    _ plane: CoefficientPlane, _ context: inout NonzeroContext, _ probabilities: Span<UInt8>, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int32>
  ) -> UInt32 {
    var decoder = self  // a local copy stays in registers
    let (size, bit) = (plane.size, plane.contextBit)
    let mask = (1 as UInt32) &<< UInt32(truncatingIfNeeded: size) &- 1
    let last = UInt32(truncatingIfNeeded: size &- 1)
    var (above, left) = (context.above &>> bit & mask, context.left &>> bit & mask)
    var extents: UInt32 = 0
    var offset = plane.offset
    for _ in 0..<size {
      // The lowest bits of `left` and `above` belong to the next row and the next block.
      var isLeftCoded = left & 1
      for _ in 0..<size {
        let length = decoder.readBlock(
          plane, context: Int(isLeftCoded &+ above & 1), probabilities, bytes, &coefficients, at: offset)
        isLeftCoded = length > firstPosition(type: plane.type) ? 1 : 0
        above = above >> 1 | isLeftCoded &<< last
        extents = extents >> 2 | (isLeftCoded == 0 ? 0 : BlockExtent.ofBlock(length: length)) << 30
        offset &+= 16
      }
      left = left >> 1 | isLeftCoded &<< last
    }
    context.above = context.above & ~(mask &<< bit) | above &<< bit
    context.left = context.left & ~(mask &<< bit) | left &<< bit
    self = decoder
    return extents &>> UInt32(truncatingIfNeeded: 32 &- 2 &* size &* size)
  }

  /// Reads a block.
  ///
  /// - Parameter context: the number of neighbors, above and to the left, that have coefficients.
  /// - Returns: the position after its last coefficient.
  @inline(__always)
  private mutating func readBlock(
    _ plane: CoefficientPlane, context: Int, _ probabilities: Span<UInt8>, _ bytes: Span<UInt8>,
    _ coefficients: inout MutableSpan<Int32>, at offset: Int
  ) -> Int {
    coefficients.clearBlock(at: offset)
    var position = firstPosition(type: plane.type)
    var context = context
    var mayEnd = true
    repeat {
      let probability = coefficientProbabilityIndex(type: plane.type, position: position, context: context)
      if mayEnd, !bool(probabilities[probability], bytes) { break }  // dct_eob
      // The two most frequent tokens are decoded without the table, so that the processor can predict them.
      var token = 0
      if bool(probabilities[probability &+ 1], bytes) {
        token = 1
        if bool(probabilities[probability &+ 2], bytes) {
          token = leaf(of: coefficientTree, from: 6, probabilities, at: probability, bytes)
        }
      }
      context = min(token, 2)
      mayEnd = token != 0  // dct_eob does not follow zeros
      if token != 0 {
        if token > 4 {
          var extra = 0
          var next = Int(firstExtraBitProbabilities[token &- 5])
          repeat {
            extra = extra << 1 | (bool(extraBitProbabilities[next], bytes) ? 1 : 0)
            next &+= 1
          } while extraBitProbabilities[next] != 0
          token = Int(smallestMagnitudes[token &- 5]) &+ extra
        }
        let level = sign(Int32(truncatingIfNeeded: token), bytes)
        let coefficient = level &* (position == 0 ? plane.factors.dc : plane.factors.ac)
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

/// For each of these tokens, the index in `extraBitProbabilities` of the first probability.
private let firstExtraBitProbabilities: [UInt8] = [0, 2, 5, 9, 14, 20]

/// The probabilities of the extra bits. A zero follows the last probability of each token.
private let extraBitProbabilities: [UInt8] = [
  159, 0, 165, 145, 0, 173, 148, 140, 0, 176, 155, 140, 135, 0, 180, 157, 141, 134, 130, 0,
  254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0,
]
