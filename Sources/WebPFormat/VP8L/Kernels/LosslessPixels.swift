// The operations on single pixels and on vectors of four pixels that the lossless kernels share.
//
// Unsafe code: Most other kernels get their pointers here. A precondition checks that the complete row or run is
// within the span. Uninitialized memory is not read before it is written.
// Plain formula: `PlainTransform` in Tests/TestSupport/PlainTransform.swift.

/// A pixel of four bytes. The operations treat all channels alike, so their order does not matter here.
public typealias Pixel = UInt32

/// The sum of each channel, modulo 256.
@inlinable @inline(__always)
public func sum(_ a: Pixel, _ b: Pixel) -> Pixel {
  let odd: Pixel = 0x00FF_00FF
  return ((a & ~odd) &+ (b & ~odd)) & ~odd | ((a & odd) &+ (b & odd)) & odd
}

/// ⌊(a + b) / 2⌋ of each channel (Average2, section 3.5.1).
@inlinable @inline(__always)
public func average(_ a: Pixel, _ b: Pixel) -> Pixel { ((a ^ b) & 0xFEFE_FEFE) &>> 1 &+ (a & b) }

extension SIMD16<UInt8> {
  /// The same pixel four times.
  @inlinable @inline(__always)
  public init(_ pixel: Pixel) { self = cast(SIMD4(repeating: pixel), as: Self.self) }
}

extension Span<UInt32> {
  /// A pointer to `count` pixels from `index` on, valid as long as the span is. Traps unless all are in bounds.
  @inlinable @inline(__always)
  public func pixels(_ count: Int, at index: Int) -> UnsafeRawPointer {
    precondition(count > 0 && index >= 0 && index <= self.count && count <= self.count &- index)
    return unsafe withUnsafeBytes { unsafe $0.baseAddress.unsafelyUnwrapped + 4 &* index }
  }
}

extension MutableSpan where Element: BitwiseCopyable {
  /// A pointer to space for `count` pixels at a byte offset, valid as long as the span is. Traps unless all are in
  /// bounds.
  @inlinable @inline(__always)
  public mutating func pixels(_ count: Int, atByte offset: Int) -> UnsafeMutableRawPointer {
    unsafe withUnsafeMutableBytes { bytes in
      precondition(count > 0 && offset >= 0 && offset <= bytes.count && count <= (bytes.count &- offset) &>> 2)
      return unsafe bytes.baseAddress.unsafelyUnwrapped + offset
    }
  }

  /// Copies pixels to a byte offset.
  @inlinable
  public mutating func copyPixels(_ count: Int, from source: Span<UInt32>, at index: Int, to offset: Int) {
    unsafe pixels(count, atByte: offset).copyMemory(from: source.pixels(count, at: index), byteCount: 4 &* count)
  }
}

extension UnsafeRawPointer {
  @inlinable @inline(__always)
  public func pixel(_ index: Int) -> Pixel { unsafe loadUnaligned(fromByteOffset: 4 &* index, as: Pixel.self) }

  @inlinable @inline(__always)
  public func fourPixels(_ index: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: 4 &* index, as: Bytes.self) }
}

extension UnsafeMutableRawPointer {
  @inlinable @inline(__always)
  public func pixel(_ index: Int) -> Pixel { unsafe loadUnaligned(fromByteOffset: 4 &* index, as: Pixel.self) }

  @inlinable @inline(__always)
  public func fourPixels(_ index: Int) -> Bytes { unsafe loadUnaligned(fromByteOffset: 4 &* index, as: Bytes.self) }

  @inlinable @inline(__always)
  public func store(_ pixel: Pixel, _ index: Int) {
    unsafe storeBytes(of: pixel, toByteOffset: 4 &* index, as: Pixel.self)
  }

  @inlinable @inline(__always)
  public func store(_ pixels: Bytes, _ index: Int) {
    unsafe storeBytes(of: pixels, toByteOffset: 4 &* index, as: Bytes.self)
  }
}

// MARK: Four pixels as bytes

extension SIMD16<UInt8> {
  @inlinable @inline(__always)
  public var isZero: Bool {
    let halves = cast(self, as: SIMD2<UInt64>.self)
    return halves[0] | halves[1] == 0
  }

  /// ⌊(self + other) / 2⌋ in each lane.
  @inlinable @inline(__always)
  public func averageDown(_ other: Self) -> Self {
    let half = cast(cast(xor(other).and(Self(repeating: 0xFE)), as: Words.self) &>> 1, as: Self.self)
    return and(other) &+ half
  }
}
