// Premultiplication, four pixels at a time.
//
//   c' = ⌊c · a / 255⌋ = (x + ⌊x / 256⌋ + 1) / 256, rounded down, with x = c · a     for all c, a in 0...255
//
// All of it fits 16 bits. Words hold the channels R and B, then G and A, of the four pixels; A is multiplied with 255,
// which leaves it as it is.

extension SIMD4<UInt32> {
  /// Pixels, A in the highest byte, with the other channels multiplied by it.
  @inline(__always)
  var premultiplied: Self {
    let words = bits(self, as: Words.self)
    let alpha = self &>> 24
    let alphaTwice = alpha &+ (alpha &<< 16)
    let alphaAndOne = alpha &+ Self(repeating: 255 &<< 16)
    let redBlue = words.and(Words(repeating: 0x00FF)).multiplied(by: bits(alphaTwice, as: Words.self)) &>> 8
    let greenAlpha = (words &>> 8).multiplied(by: bits(alphaAndOne, as: Words.self)).and(Words(repeating: 0xFF00))
    return bits(redBlue.or(greenAlpha), as: Self.self)
  }
}

extension Words {
  /// ⌊self · alpha / 255⌋ · 256, and something in the low byte.
  @inline(__always)
  fileprivate func multiplied(by alpha: Self) -> Self {
    let product = self &* alpha
    return product &+ (product &>> 8) &+ Words(repeating: 1)
  }
}
