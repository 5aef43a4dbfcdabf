// The dequantization factors (RFC 6386, sections 9.6 and 14.1).

internal import WebPFormat

/// The factors that the coefficients of a block are multiplied with, modulo 2¹⁶.
struct BlockFactors {
  let dc: Int16
  let ac: Int16
  /// The factors of the first rows of two blocks, and of two other rows.
  let firstRows: SIMD8<Int16>
  let otherRows: SIMD8<Int16>
  /// If true, the complete inverse DCT has libwebp's result for all extents, provided that quantized coefficients have
  /// eight bits.
  let neverOverflows: Bool

  /// - Parameter largestDC: the greatest magnitude of a dequantized DC if quantized coefficients have eight bits. Nil
  ///   stands for 128 · `dc`.
  init(dc: Int16, ac: Int16, largestDC: Int32? = nil) {
    self.dc = dc
    self.ac = ac
    firstRows = .init(dc, ac, ac, ac, dc, ac, ac, ac)
    otherRows = .init(repeating: ac)
    // libwebp computes blocks that have only the coefficients 0, 1 and 4 without overflow. Their sums, including the
    // rounding constant 4, must therefore fit in 16 bits. The two AC coefficients are multiplied by at most
    // √2 · cos(π/8) = 1.3066. The sums of complete blocks need not fit, because they also wrap in libwebp.
    let largestDC = largestDC ?? 128 * Int32(dc)
    let largestACs = 2 * 128 * Int32(ac) * 1307 / 1000
    neverOverflows = largestDC + largestACs < 32760
  }

  /// Indicates whether a DC other than 0 may become 0 modulo 2¹⁶. A DC has at most 12 bits, so this requires a factor
  /// with five trailing zeros.
  var losesDCs: Bool { dc & 31 == 0 }
}

/// The factors that the coefficients of a macroblock are multiplied with.
struct DequantizationFactors {
  /// Luma, including the DCs.
  let y1: BlockFactors
  /// Luma whose DCs are outputs of the inverse WHT. These DCs need no factor.
  let y1WithoutDC: BlockFactors
  let y2: BlockFactors
  let uv: BlockFactors

  /// - Parameter index: the quantizer index of the segment or the frame. Differences are added before it is clamped.
  @inline(never)  // several callers
  init(_ header: QuantizerHeader, index: Int32) {
    @inline(never)
    func factors(ofType type: Int) -> BlockFactors {
      let (dc, ac) = header.factors(ofType: type, index: index)
      return BlockFactors(dc: Int16(dc), ac: Int16(ac))
    }
    y1 = factors(ofType: 3)
    y2 = factors(ofType: 1)
    // The inverse WHT adds up sixteen dequantized coefficients, each at most 128 times its factor, and divides the sum
    // by eight.
    y1WithoutDC = BlockFactors(dc: 1, ac: y1.ac, largestDC: 16 * (Int32(y2.dc) + 15 * Int32(y2.ac)) + 1)
    uv = factors(ofType: 2)
  }

  /// The factors of each segment, which are equal if the frame has no segments (section 9.3).
  static func ofSegments(_ header: FrameHeader) -> ContiguousArray<DequantizationFactors> {
    var factors = ContiguousArray(
      repeating: Self(header.quantizer, index: header.quantizerIndex(ofSegment: 0)), count: 4)
    for segment in 1..<4 where header.segmentation.isEnabled {
      factors[segment] = Self(header.quantizer, index: header.quantizerIndex(ofSegment: segment))
    }
    return factors
  }
}
