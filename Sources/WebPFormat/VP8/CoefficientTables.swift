// The order of the coefficients of a block (RFC 6386, section 13), and their factors (section 14.1).
//
// The compiler emits static data for a literal, and accesses it directly only in the module that contains the literal.
// Therefore small tables that inner loops read are inlined.

/// The first coded position of a block (RFC 6386, section 13). It is 1 if the DC is an output of the inverse WHT.
@inlinable @inline(__always)
public func firstPosition(type: Int) -> Int { type == 0 ? 1 : 0 }

/// The raster position in the block for each coding position (section 13).
@inlinable
public var zigzag: [UInt8] { [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15] }

/// For each coding position, the index of its band's probabilities in the probabilities of a type: 33 for each band
/// (section 13.3).
@inlinable
public var firstNodes: [UInt8] { [0, 33, 66, 99, 198, 132, 165, 198, 198, 198, 198, 198, 198, 198, 198, 231] }

// MARK: Dequantization

extension QuantizerHeader {
  /// The factors that the coefficients of a type of block are multiplied with, modulo 2¹⁶. The scale of Y2 and the
  /// limits are only in section 20.4 of the RFC (dixie.c).
  ///
  /// - Parameters:
  ///   - type: the block type, as in `coefficientProbabilityIndex`.
  ///   - index: the quantizer index of the segment or the frame. Differences are added before it is clamped.
  @inline(never)
  public func factors(ofType type: Int, index: Int32) -> (dc: Int32, ac: Int32) {
    let (dc, ac) = type == 1 ? (y2DC, y2AC) : type == 2 ? (uvDC, uvAC) : (y1DC, 0)
    // The DC factor of chroma is at most 132, which is the factor of index 117.
    let dcFactor = Int32(dcFactors[Int(min(max(index &+ dc, 0), type == 2 ? 117 : 127))])
    let acFactor = Int32(acFactors[Int(min(max(index &+ ac, 0), 127))])
    return type == 1 ? (dcFactor &* 2, max(8, acFactor &* 155 / 100)) : (dcFactor, acFactor)
  }
}

/// The factors of the first coefficient of a block, by quantizer index.
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

/// The factors of the other coefficients, by quantizer index.
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
