// The vector operations of the kernels: on bytes in this file, on words in SIMDWords.swift.
//
// Each operation compiles to one instruction on x86-64 with SSE2, on arm64 and on wasm, unless its comment states a
// number. Comments name the instructions of SSE2 first, then of arm64. Tests/Instructions/check counts instructions.
//
// The standard library's own min, max, clamp, replacing(with:where:) and & | ^ on vectors compile to loops over lanes
// or to calls. The operators of `SIMDMask` do not, so these functions use masks. Permutations list all lanes, which the
// compiler turns into one instruction.
//
// Unsafe code: Contains the bit cast of vectors that all vector code uses. Both vectors have the same size.

/// Sixteen samples.
public typealias Bytes = SIMD16<UInt8>
/// Eight samples, widened for arithmetic.
public typealias Words = SIMD8<UInt16>
/// Eight signed values: coefficients, residuals.
public typealias SignedWords = SIMD8<Int16>

/// The same bits as another vector type of the same size.
@inlinable @inline(__always)
public func cast<From, To>(_ vector: From, as type: To.Type) -> To {
  unsafe unsafeBitCast(vector, to: type)
}

@usableFromInline typealias ByteMask = SIMDMask<SIMD16<Int8>>

extension SIMD16<UInt8> {
  @inlinable @inline(__always)
  public func and(_ other: Self) -> Self {
    cast(cast(self, as: ByteMask.self) .& cast(other, as: ByteMask.self), as: Self.self)
  }

  @inlinable @inline(__always)
  public func or(_ other: Self) -> Self {
    cast(cast(self, as: ByteMask.self) .| cast(other, as: ByteMask.self), as: Self.self)
  }

  @inlinable @inline(__always)
  public func xor(_ other: Self) -> Self {
    cast(cast(self, as: ByteMask.self) .^ cast(other, as: ByteMask.self), as: Self.self)
  }

  @inlinable @inline(__always)
  public var inverted: Self { cast(.!cast(self, as: ByteMask.self), as: Self.self) }

  /// 255 in lanes where self ≤ other, else 0. Two instructions: pminub, pcmpeqb; cmhs is one.
  @inlinable @inline(__always)
  public func isAtMost(_ other: Self) -> Self { cast(self .<= other, as: Self.self) }

  /// 255 in lanes where self < other, else 0. Three instructions with SSE2, which has no such comparison.
  @inlinable @inline(__always)
  public func isLess(than other: Self) -> Self { cast(self .< other, as: Self.self) }

  /// pminub, umin
  @inlinable @inline(__always)
  public func minimum(_ other: Self) -> Self { selected(cast(other .< self, as: Self.self), other, self) }

  /// pmaxub, umax
  @inlinable @inline(__always)
  public func maximum(_ other: Self) -> Self { selected(cast(other .> self, as: Self.self), other, self) }

  /// self + other, at most 255. paddusb, uqadd. More instructions if both are the same vector.
  @inlinable @inline(__always)
  public func addingSaturated(_ other: Self) -> Self {
    let sum = self &+ other
    return sum.or(cast(sum .< self, as: Self.self))
  }

  /// self − other, at least 0. psubusb, uqsub
  @inlinable @inline(__always)
  public func subtractingSaturated(_ other: Self) -> Self { maximum(other) &- other }

  /// |self − other|. Three instructions with SSE2, uabd
  @inlinable @inline(__always)
  public func absoluteDifference(_ other: Self) -> Self { maximum(other) &- minimum(other) }

  /// ⌈(self + other) / 2⌉, lane by lane. pavgb, urhadd
  @inlinable @inline(__always)
  public func average(_ other: Self) -> Self { self.or(other) &- (self.xor(other) &>> 1) }

  /// The low eight lanes of both, alternating: a₀ b₀ a₁ b₁ … a₇ b₇. punpcklbw, zip1
  @inlinable @inline(__always)
  public func interleavedLow(_ b: Self) -> Self {
    Self(
      self[0], b[0], self[1], b[1], self[2], b[2], self[3], b[3],
      self[4], b[4], self[5], b[5], self[6], b[6], self[7], b[7])
  }

  /// The high eight lanes of both, alternating: a₈ b₈ … a₁₅ b₁₅. punpckhbw, zip2
  @inlinable @inline(__always)
  public func interleavedHigh(_ b: Self) -> Self {
    Self(
      self[8], b[8], self[9], b[9], self[10], b[10], self[11], b[11],
      self[12], b[12], self[13], b[13], self[14], b[14], self[15], b[15])
  }

  /// Lanes 0...7 as words.
  @inlinable @inline(__always)
  public var widenedLow: SignedWords { cast(interleavedLow(.zero), as: SignedWords.self) }

  /// `a` where the mask's lanes are 255, `b` where they are 0.
  @inlinable @inline(__always)
  func selected(_ mask: Self, _ a: Self, _ b: Self) -> Self { a.and(mask).or(b.and(mask.inverted)) }
}
