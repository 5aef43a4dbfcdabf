// The dequantization factors (RFC 6386, sections 9.6 and 14.1; the scale of Y2 and the limits are only in section 20.4,
// dixie.c). They are computed again for each plane.

/// The factors that the coefficients of a block are multiplied by, modulo 2¹⁶.
struct BlockFactors {
  let dc: Int32
  let ac: Int32
}

extension FrameHeader {
  /// The factors of a type of block.
  ///
  /// - Parameters:
  ///   - type: the block type, as in `coefficientProbabilityIndex`.
  ///   - segment: 0...3
  @inline(never)
  func factors(type: Int, segment: Int) -> BlockFactors {
    let index = quantizerIndex(ofSegment: segment)
    let (dc, ac) =
      type == 1
      ? (quantizer.y2DC, quantizer.y2AC) : type == 2 ? (quantizer.uvDC, quantizer.uvAC) : (quantizer.y1DC, 0)
    // The DC factor of chroma is at most 132, which is the factor of index 117.
    let dcFactor = Int32(dcFactors[Int(min(max(index &+ dc, 0), type == 2 ? 117 : 127))])
    let acFactor = Int32(acFactors[Int(min(max(index &+ ac, 0), 127))])
    return type == 1
      ? BlockFactors(dc: dcFactor &* 2, ac: max(8, acFactor &* 155 / 100)) : BlockFactors(dc: dcFactor, ac: acFactor)
  }
}
