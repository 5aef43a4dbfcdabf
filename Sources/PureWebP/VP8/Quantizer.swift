// Quantiser indices to factors (RFC 6386, sections 9.6 and 14.1).

/// What the coefficients of a block are multiplied with, modulo 2¹⁶.
struct BlockFactors {
  let dc: Int16
  let ac: Int16
  /// The factors of the first rows of two blocks, and those of two other rows.
  let firstRows: SIMD8<Int16>
  let otherRows: SIMD8<Int16>

  init(dc: Int16, ac: Int16) {
    self.dc = dc
    self.ac = ac
    firstRows = .init(dc, ac, ac, ac, dc, ac, ac, ac)
    otherRows = .init(repeating: ac)
  }

  /// Whether a DC that is not 0 may become 0. The greatest has 12 bits, so the factor has to bring five zeros.
  var losesDCs: Bool { dc & 31 == 0 }
}

/// What the coefficients of a macroblock are multiplied with.
struct DequantizationFactors {
  /// Of luma with its DCs.
  let y1: BlockFactors
  /// Of luma whose DCs come from the Y2 block, and need no factor.
  let y1WithoutDC: BlockFactors
  let y2: BlockFactors
  let uv: BlockFactors

  /// - Parameter index: of the segment or the frame, to which each difference is added before the clamp.
  init(_ header: QuantizerHeader, index: Int32) {
    func factor(_ table: [UInt8], _ difference: Int32, limit: Int32 = 127) -> Int16 {
      Int16(table[Int(min(max(index &+ difference, 0), limit))])
    }
    func factor(_ table: [UInt16], _ difference: Int32) -> Int16 {
      Int16(table[Int(min(max(index &+ difference, 0), 127))])
    }
    let ac = factor(acFactors, 0)
    y1 = BlockFactors(dc: factor(dcFactors, header.y1DC), ac: ac)
    y1WithoutDC = BlockFactors(dc: 1, ac: ac)
    y2 = BlockFactors(
      dc: 2 * factor(dcFactors, header.y2DC), ac: max(8, Int16(Int32(factor(acFactors, header.y2AC)) * 155 / 100)))
    uv = BlockFactors(dc: factor(dcFactors, header.uvDC, limit: 117), ac: factor(acFactors, header.uvAC))
  }

  /// The factors of each segment; all the same where the frame has no segments (section 9.3).
  static func ofSegments(_ header: FrameHeader) -> ContiguousArray<DequantizationFactors> {
    var factors = ContiguousArray(
      repeating: Self(header.quantizer, index: header.quantizerIndex(ofSegment: 0)), count: 4)
    for segment in 1..<4 where header.segmentation.isEnabled {
      factors[segment] = Self(header.quantizer, index: header.quantizerIndex(ofSegment: segment))
    }
    return factors
  }
}

extension FrameHeader {
  /// A segment's quantiser index, not clamped; that of the frame where it has no segments (section 9.3).
  func quantizerIndex(ofSegment segment: Int) -> Int32 {
    guard segmentation.isEnabled else { return quantizer.base }
    let value = segmentation.quantizers[segment]
    return segmentation.usesAbsoluteValues ? value : quantizer.base &+ value
  }
}

// `let` at file scope and not `static`: read by subscript, these are static data.

/// Section 14.1.
private let dcFactors: [UInt8] = [
  4, 5, 6, 7, 8, 9, 10, 10, 11, 12, 13, 14, 15, 16, 17, 17,
  18, 19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 25, 25, 26, 27, 28,
  29, 30, 31, 32, 33, 34, 35, 36, 37, 37, 38, 39, 40, 41, 42, 43,
  44, 45, 46, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58,
  59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74,
  75, 76, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88, 89,
  91, 93, 95, 96, 98, 100, 101, 102, 104, 106, 108, 110, 112, 114, 116, 118,
  122, 124, 126, 128, 130, 132, 134, 136, 138, 140, 143, 145, 148, 151, 154, 157,
]

/// Section 14.1.
private let acFactors: [UInt16] = [
  4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
  20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,
  36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
  52, 53, 54, 55, 56, 57, 58, 60, 62, 64, 66, 68, 70, 72, 74, 76,
  78, 80, 82, 84, 86, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 108,
  110, 112, 114, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152,
  155, 158, 161, 164, 167, 170, 173, 177, 181, 185, 189, 193, 197, 201, 205, 209,
  213, 217, 221, 225, 229, 234, 239, 245, 249, 254, 259, 264, 269, 274, 279, 284,
]
