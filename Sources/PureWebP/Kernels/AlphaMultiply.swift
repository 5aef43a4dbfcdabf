// Premultiplication, four pixels at a time.
//
//   c' = ⌊c · a / 255⌋ = ⌊c · a · 32897 / 2²³⌋       for all c, a in 0...255
//
// c · a fits 16 bits, and the high half of its product with 32897, shifted right by 7, is the result. Words hold the
// channels R and B, then G and A, of the four pixels; A is multiplied with 255, which leaves it as it is.

extension SIMD4<UInt32> {
  /// Pixels, A in the highest byte, with the other channels multiplied by it.
  @inline(__always)
  var premultiplied: Self {
    let words = bits(self, as: Words.self)
    let alpha = self &>> 24
    let alphaTwice = alpha &+ (alpha &<< 16)
    let alphaAndOne = alpha &+ Self(repeating: 255 &<< 16)
    let redBlue = words.and(Words(repeating: 0x00FF)).premultiplied(by: bits(alphaTwice, as: Words.self))
    let greenAlpha = (words &>> 8).premultiplied(by: bits(alphaAndOne, as: Words.self))
    return bits(redBlue.or(greenAlpha &<< 8), as: Self.self)
  }
}

extension Words {
  @inline(__always)
  fileprivate func premultiplied(by alpha: Self) -> Self { (self &* alpha).multipliedHigh(32897) &>> 7 }
}
