// Vector operations on 32-bit numbers with 64-bit products. SIMDBytes.swift explains the comments.

internal import WebPFormat

/// Four numbers, widened for products: a vector of the even lanes and a vector of the odd lanes.
struct Products {
  private var even: SIMD2<UInt64>
  private var odd: SIMD2<UInt64>

  @inline(__always)
  private init(even: SIMD2<UInt64>, odd: SIMD2<UInt64>) {
    self.even = even
    self.odd = odd
  }

  @inline(__always)
  init(_ numbers: SIMD4<UInt32>) {
    let pairs = cast(numbers, as: SIMD2<UInt64>.self)
    even = pairs.and(.low)
    odd = pairs &>> 32
  }

  /// Each number, which must fit in 32 bits, times `factor`. Two pmuludq, umull
  @inline(__always)
  static func * (numbers: Self, factor: UInt32) -> Self {
    let factor = SIMD2(repeating: UInt64(factor))
    return Self(even: numbers.even &* factor, odd: numbers.odd &* factor)
  }

  @inline(__always)
  static func &+ (a: Self, b: Self) -> Self { Self(even: a.even &+ b.even, odd: a.odd &+ b.odd) }

  /// ⌊each / 2³² + 1/2⌋
  @inline(__always)
  var roundedHigh: Self { (self &+ Self(even: .half, odd: .half)).high }

  /// ⌊each / 2³²⌋
  @inline(__always)
  var high: Self { Self(even: even &>> 32, odd: odd &>> 32) }

  /// Each number modulo 2³².
  @inline(__always)
  var numbers: SIMD4<UInt32> { cast(even.and(.low).or(odd &<< 32), as: SIMD4<UInt32>.self) }
}

private typealias PairMask = SIMDMask<SIMD2<Int64>>

extension SIMD2<UInt64> {
  @inline(__always)
  fileprivate static var low: Self { Self(repeating: 0xFFFF_FFFF) }
  @inline(__always)
  fileprivate static var half: Self { Self(repeating: 1 << 31) }

  @inline(__always)
  fileprivate func and(_ other: Self) -> Self {
    cast(cast(self, as: PairMask.self) .& cast(other, as: PairMask.self), as: Self.self)
  }

  @inline(__always)
  fileprivate func or(_ other: Self) -> Self {
    cast(cast(self, as: PairMask.self) .| cast(other, as: PairMask.self), as: Self.self)
  }
}
