internal import WebPFormat

// The decoding of coefficients (RFC 6386, section 13) by the state machine that `TokenStateTable` describes. The loop
// over tokens is in Kernels/TokenLoop.swift.

/// Decodes the coefficients of one token partition with a state machine.
struct TokenStateMachine: CoefficientDecoder {
  var bools: LazyBoolDecoder

  /// Decodes the extra bits and the sign of a coefficient of dct_cat3 to dct_cat6 (section 13.2).
  ///
  /// - Parameter category: 0 for dct_cat3, 1 for dct_cat4, 2 for dct_cat5, 3 for dct_cat6.
  @inline(never)
  static func decodeLarge(
    _ bools: LazyBoolDecoder, _ bytes: Span<UInt8>, category: Int
  ) -> (LazyBoolDecoder, Int) {
    var bools = bools
    var probabilities: UInt64
    var bits = 0
    switch category {
    case 0: probabilities = ExtraBits.category3
    case 1: probabilities = ExtraBits.category4
    case 2: probabilities = ExtraBits.category5
    default:
      probabilities = ExtraBits.category6
      for probability in ExtraBits.firstOfCategory6 {
        bits = bits << 1 | bools.mask(probability, if: -1, bytes) & 1
      }
    }
    repeat {
      bits = bits << 1 | bools.mask(UInt8(truncatingIfNeeded: probabilities), if: -1, bytes) & 1
      probabilities >>= 8
    } while probabilities != 0
    let sign = bools.mask(128, if: -1, bytes)
    let magnitude = bits &+ 3 &+ 8 &<< category
    return (bools, (magnitude ^ sign) &- sign)
  }
}
