// Further permutations of lanes. SIMDBytes.swift explains the comments.

internal import WebPFormat

extension SIMD16<UInt8> {
  /// Each lane has the value of the next lane, and the last one is 0. psrldq, ext
  @inline(__always)
  var following: Bytes {
    Bytes(
      self[1], self[2], self[3], self[4], self[5], self[6], self[7], self[8],
      self[9], self[10], self[11], self[12], self[13], self[14], self[15], 0)
  }

  /// Lanes 8...15 as words.
  @inline(__always)
  var widenedHigh: SignedWords { cast(interleavedHigh(.zero), as: SignedWords.self) }
}

extension SIMD8<UInt8> {
  /// a₀ b₀ a₁ b₁ … a₇ b₇. punpcklbw, zip1. Uses complete registers, because wasm has no half registers.
  @inline(__always)
  func interleaved(_ b: Self) -> Bytes {
    Bytes(lowHalf: self, highHalf: .zero).interleavedLow(Bytes(lowHalf: b, highHalf: .zero))
  }
}

extension SIMD2<UInt64> {
  /// a₀ b₀. punpcklqdq, zip1
  @inline(__always)
  func interleavedLow(_ b: Self) -> Self { Self(self[0], b[0]) }

  /// a₁ b₁. punpckhqdq, zip2
  @inline(__always)
  func interleavedHigh(_ b: Self) -> Self { Self(self[1], b[1]) }
}

// MARK: Signed words, single and in groups of two and four

extension SIMD8<Int16> {
  @inline(__always)
  func interleavedLow(_ b: Self) -> Self {
    cast(cast(self, as: Words.self).interleavedLow(cast(b, as: Words.self)), as: Self.self)
  }

  @inline(__always)
  func interleavedHigh(_ b: Self) -> Self {
    cast(cast(self, as: Words.self).interleavedHigh(cast(b, as: Words.self)), as: Self.self)
  }

  @inline(__always)
  func interleavedLow32(_ b: Self) -> Self {
    cast(cast(self, as: SIMD4<UInt32>.self).interleavedLow(cast(b, as: SIMD4<UInt32>.self)), as: Self.self)
  }

  @inline(__always)
  func interleavedHigh32(_ b: Self) -> Self {
    cast(cast(self, as: SIMD4<UInt32>.self).interleavedHigh(cast(b, as: SIMD4<UInt32>.self)), as: Self.self)
  }

  @inline(__always)
  func interleavedLow64(_ b: Self) -> Self {
    cast(cast(self, as: SIMD2<UInt64>.self).interleavedLow(cast(b, as: SIMD2<UInt64>.self)), as: Self.self)
  }

  @inline(__always)
  func interleavedHigh64(_ b: Self) -> Self {
    cast(cast(self, as: SIMD2<UInt64>.self).interleavedHigh(cast(b, as: SIMD2<UInt64>.self)), as: Self.self)
  }
}
