// What header fields are (RFC 6386, section 8), besides unsigned numbers.

extension BoolDecoder {
  /// A bool at even odds.
  mutating func flag(_ bytes: Span<UInt8>) -> Bool { literal(1, bytes) != 0 }

  /// A flag, and if it is set a magnitude of `bits` bits, then its sign; 0 otherwise.
  @inline(never)
  mutating func optionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !flag(bytes) { return 0 }
    let magnitude = literal(bits, bytes)
    return flag(bytes) ? 0 &- magnitude : magnitude
  }

  /// Four of those.
  @inline(never)
  mutating func fourOptionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> SIMD4<Int32> {
    var numbers: SIMD4<Int32> = .zero
    for index in 0..<4 { numbers[index] = optionalSigned(bits, bytes) }
    return numbers
  }
}
