// Vector operations on four pixels of 32 bits, whose highest byte is alpha.

extension SIMD4<UInt32> {
  /// The bits of each pixel that are set in `mask`.
  @inline(__always)
  func masked(_ mask: UInt32) -> Self {
    bits(bits(self, as: Words.self).and(bits(Self(repeating: mask), as: Words.self)), as: Self.self)
  }

  /// The alpha of each pixel in both of its words.
  @inline(__always)
  var alphaTwice: Words {
    let alpha = self &>> 24
    return bits(alpha &+ (alpha &<< 16), as: Words.self)
  }
}
