// Operations on the bytes of four pixels.

internal import WebPFormat

extension SIMD16<UInt8> {
  @inline(__always)
  var isZero: Bool {
    let halves = bits(self, as: SIMD2<UInt64>.self)
    return halves[0] | halves[1] == 0
  }

  /// ⌊(self + other) / 2⌋ in each lane.
  @inline(__always)
  func averageDown(_ other: Self) -> Self {
    let half = bits(bits(xor(other).and(Self(repeating: 0xFE)), as: Words.self) &>> 1, as: Self.self)
    return and(other) &+ half
  }
}
