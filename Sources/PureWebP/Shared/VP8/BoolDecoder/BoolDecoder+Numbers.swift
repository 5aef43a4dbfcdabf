// This file implements the header fields other than unsigned numbers, as specified in RFC 6386, section 8.

extension BoolDecoder {
  /// A bool with a probability of one half.
  mutating func flag(_ bytes: Span<UInt8>) -> Bool { literal(1, bytes) != 0 }

  /// A flag. If it is set, a magnitude of `bits` bits and its sign follow; otherwise the number is 0.
  @inline(never)
  mutating func optionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !flag(bytes) { return 0 }
    let magnitude = literal(bits, bytes)
    return flag(bytes) ? 0 &- magnitude : magnitude
  }

  /// Four numbers as `optionalSigned` reads them.
  @inline(never)
  mutating func fourOptionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> SIMD4<Int32> {
    var numbers: SIMD4<Int32> = .zero
    for index in 0..<4 { numbers[index] = optionalSigned(bits, bytes) }
    return numbers
  }
}
