// The types of header fields other than unsigned numbers (RFC 6386, section 8).

extension BoolDecoder {
  /// Reads a bool whose probability is one half.
  mutating func flag(_ bytes: Span<UInt8>) -> Bool { literal(1, bytes) != 0 }

  /// Reads a flag. If it is set, reads a magnitude of `bits` bits and its sign. Otherwise the number is 0.
  @inline(never)
  mutating func optionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !flag(bytes) { return 0 }
    let magnitude = literal(bits, bytes)
    return flag(bytes) ? 0 &- magnitude : magnitude
  }

  /// Reads four numbers with `optionalSigned`.
  @inline(never)
  mutating func fourOptionalSigned(_ bits: Int, _ bytes: Span<UInt8>) -> SIMD4<Int32> {
    var numbers: SIMD4<Int32> = .zero
    for index in 0..<4 { numbers[index] = optionalSigned(bits, bytes) }
    return numbers
  }
}
