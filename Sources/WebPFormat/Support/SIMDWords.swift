// Vector operations on words, and on groups of two words. SIMDBytes.swift explains the comments.

@usableFromInline typealias WordMask = SIMDMask<SIMD8<Int16>>

extension SIMD8<UInt16> {
  @inlinable @inline(__always)
  public func and(_ other: Self) -> Self {
    cast(cast(self, as: WordMask.self) .& cast(other, as: WordMask.self), as: Self.self)
  }

  @inlinable @inline(__always)
  public func or(_ other: Self) -> Self {
    cast(cast(self, as: WordMask.self) .| cast(other, as: WordMask.self), as: Self.self)
  }

  /// self + other, at most 65535. paddusw, uqadd
  @inlinable @inline(__always)
  public func addingSaturated(_ other: Self) -> Self {
    let sum = self &+ other
    return cast(cast(sum, as: WordMask.self) .| (sum .< self), as: Self.self)
  }

  /// self − other, at least 0. psubusw, uqsub
  @inlinable @inline(__always)
  public func subtractingSaturated(_ other: Self) -> Self {
    cast(cast(self &- other, as: WordMask.self) .& (self .> other), as: Self.self)
  }

  /// ⌊self · factor / 65536⌋. pmulhuw
  @inlinable @inline(__always)
  public func multipliedHigh(_ factor: UInt32) -> Self {
    var high = Self()
    for lane in 0..<8 { high[lane] = UInt16(truncatingIfNeeded: (UInt32(self[lane]) &* factor) &>> 16) }
    return high
  }

  /// a₀ b₀ a₁ b₁ a₂ b₂ a₃ b₃. punpcklwd, zip1
  @inlinable @inline(__always)
  public func interleavedLow(_ b: Self) -> Self { Self(self[0], b[0], self[1], b[1], self[2], b[2], self[3], b[3]) }

  /// a₄ b₄ a₅ b₅ a₆ b₆ a₇ b₇. punpckhwd, zip2
  @inlinable @inline(__always)
  public func interleavedHigh(_ b: Self) -> Self { Self(self[4], b[4], self[5], b[5], self[6], b[6], self[7], b[7]) }
}

extension SIMD8<Int16> {
  /// ⌊self · factor / 65536⌋ for a signed 16-bit factor. pmulhw
  @inlinable @inline(__always)
  public func multipliedHigh(_ factor: Int32) -> Self {
    var high = Self()
    for lane in 0..<8 { high[lane] = Int16(truncatingIfNeeded: (Int32(self[lane]) &* factor) &>> 16) }
    return high
  }

  /// The lanes of both, each clamped to 0...255. packuswb, sqxtun and sqxtun2
  @inlinable @inline(__always)
  public func narrowed(_ high: Self) -> Bytes { Bytes(lowHalf: clampedToByte, highHalf: high.clampedToByte) }

  @inlinable @inline(__always)
  var clampedToByte: SIMD8<UInt8> {
    let positive = selected(self .< .zero, .zero, self)
    let clamped = selected(positive .> Self(repeating: 255), Self(repeating: 255), positive)
    @inline(__always) func lane(_ i: Int) -> UInt8 { UInt8(truncatingIfNeeded: clamped[i]) }
    return SIMD8<UInt8>(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))
  }

  @inlinable @inline(__always)
  func selected(_ mask: WordMask, _ a: Self, _ b: Self) -> Self {
    cast((cast(a, as: WordMask.self) .& mask) .| (cast(b, as: WordMask.self) .& .!mask), as: Self.self)
  }
}

// MARK: Groups of two words

extension SIMD4<UInt32> {
  /// a₀ b₀ a₁ b₁. punpckldq, zip1
  @inlinable @inline(__always)
  public func interleavedLow(_ b: Self) -> Self { Self(self[0], b[0], self[1], b[1]) }

  /// a₂ b₂ a₃ b₃. punpckhdq, zip2
  @inlinable @inline(__always)
  public func interleavedHigh(_ b: Self) -> Self { Self(self[2], b[2], self[3], b[3]) }
}

extension SIMD4<Int32> {
  /// The low halves of the lanes of both. packssdw if the compiler knows that they fit; xtn and xtn2
  @inlinable @inline(__always)
  public func narrowed(_ high: Self) -> SignedWords {
    SignedWords(lowHalf: truncated, highHalf: high.truncated)
  }

  @inlinable @inline(__always)
  var truncated: SIMD4<Int16> {
    @inline(__always) func lane(_ i: Int) -> Int16 { Int16(truncatingIfNeeded: self[i]) }
    return SIMD4<Int16>(lane(0), lane(1), lane(2), lane(3))
  }
}

// MARK: Four pixels of 32 bits, whose highest byte is alpha

extension SIMD4<UInt32> {
  /// The bits of each pixel that are set in `mask`.
  @inlinable @inline(__always)
  public func masked(_ mask: UInt32) -> Self {
    cast(cast(self, as: Words.self).and(cast(Self(repeating: mask), as: Words.self)), as: Self.self)
  }

  /// The alpha of each pixel in both of its words.
  @inlinable @inline(__always)
  public var alphaTwice: Words {
    let alpha = self &>> 24
    return cast(alpha &+ (alpha &<< 16), as: Words.self)
  }
}
