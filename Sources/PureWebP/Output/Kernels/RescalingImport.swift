// The first half of the rescaler: from samples to rows of sums (see Output/Rescaler.swift).
//
// A row has one sum for each channel of each pixel. If the sizes of image and output differ extremely, sums exceed 2³²
// and wrap around, as in libwebp.
//
// Unsafe code: Rows are from `CheckedRows`. A precondition checks the sums, which have slack for fifteen more.
// Plain formula: `plainScaled` in Tests/PureWebPTests/OutputScalingTests.swift.

internal import WebPFormat

/// The sums of one pixel: one channel, or four in a vector.
protocol RescalerSums {
  static var channels: Int { get }
  static var zero: Self { get }
  /// The samples of the pixel at `index`.
  init(_ source: UnsafeRawPointer, pixel index: Int)
  func store(to row: UnsafeMutablePointer<UInt32>, pixel index: Int)
  static func &+ (a: Self, b: Self) -> Self
  static func &- (a: Self, b: Self) -> Self
  func times(_ factor: Int) -> Self
  /// The rounded product with `fraction` / 2³².
  func times(fraction: UInt32) -> Self
}

extension UInt32: RescalerSums {
  static var channels: Int { 1 }

  @inline(__always)
  init(_ source: UnsafeRawPointer, pixel index: Int) { self = unsafe UInt32(source.byte(at: index)) }

  @inline(__always)
  func store(to row: UnsafeMutablePointer<UInt32>, pixel index: Int) { unsafe row[index] = self }

  @inline(__always)
  func times(_ factor: Int) -> Self { self &* UInt32(truncatingIfNeeded: factor) }

  @inline(__always)
  func times(fraction: UInt32) -> Self {
    UInt32(truncatingIfNeeded: (UInt64(self) &* UInt64(fraction) &+ 1 &<< 31) &>> 32)
  }
}

extension SIMD4<UInt32>: RescalerSums {
  static var channels: Int { 4 }

  @inline(__always)
  init(_ source: UnsafeRawPointer, pixel index: Int) {
    let source = unsafe source + 4 &* index
    self = unsafe SIMD4(
      UInt32(source.byte(at: 0)), UInt32(source.byte(at: 1)), UInt32(source.byte(at: 2)), UInt32(source.byte(at: 3)))
  }

  @inline(__always)
  func store(to row: UnsafeMutablePointer<UInt32>, pixel index: Int) {
    unsafe UnsafeMutableRawPointer(row).storeBytes(of: self, toByteOffset: 16 &* index, as: Self.self)
  }

  @inline(__always)
  func times(_ factor: Int) -> Self { self &* Self(repeating: UInt32(truncatingIfNeeded: factor)) }

  @inline(__always)
  func times(fraction: UInt32) -> Self { (Products(self) * fraction).roundedHigh.numbers }
}

/// Expands a row of samples to more pixels. Each sum is interpolated between two neighboring samples, times `add`.
///
/// - Parameters:
///   - add: width − 1
///   - sub: sourceWidth − 1
@inline(__always)
func importRowExpanding<Sums: RescalerSums>(
  _: Sums.Type, _ source: Span<UInt8>, at offset: Int, sourceWidth: Int, add: Int, sub: Int,
  into sums: inout MutableSpan<UInt32>, at row: Int, width: Int
) {
  let source = unsafe source.row(at: offset, count: sourceWidth * Sums.channels)
  let row = unsafe sums.numbers(at: row, count: width * Sums.channels)
  var next = sourceWidth > 1 ? 1 : 0
  var left = unsafe Sums(source, pixel: 0)
  var right = unsafe Sums(source, pixel: next)
  var (atRight, difference) = (right.times(add), left &- right)
  var distance = add
  for x in 0..<width {
    if distance < 0 {
      left = right
      next &+= 1
      right = unsafe Sums(source, pixel: next)
      (atRight, difference) = (right.times(add), left &- right)
      distance &+= add
    }
    unsafe (atRight &+ difference.times(distance)).store(to: row, pixel: x)
    distance &-= sub
  }
}

/// Shrinks a row of samples, or leaves the number of pixels unchanged. Each output is the sum of the samples that it
/// covers, times `sub`. The outermost samples contribute in part.
///
/// - Parameters:
///   - add: sourceWidth
///   - sub: width
///   - scale: 2³² / sub
@inline(__always)
func importRowShrinking<Sums: RescalerSums>(
  _: Sums.Type, _ source: Span<UInt8>, at offset: Int, sourceWidth: Int, add: Int, sub: Int, scale: UInt32,
  into sums: inout MutableSpan<UInt32>, at row: Int, width: Int
) {
  let source = unsafe source.row(at: offset, count: sourceWidth * Sums.channels)
  let row = unsafe sums.numbers(at: row, count: width * Sums.channels)
  var next = 0
  var sum = Sums.zero
  var distance = 0
  for x in 0..<width {
    var last: Sums
    distance &+= add
    repeat {
      distance &-= sub
      last = unsafe Sums(source, pixel: next)
      sum = sum &+ last
      next &+= 1
    } while distance > 0
    let beyond = last.times(0 &- distance)
    unsafe (sum.times(sub) &- beyond).store(to: row, pixel: x)
    sum = beyond.times(fraction: scale)
  }
}

/// Adds the row at `row` to the one at `total`.
func addRow(at row: Int, toRowAt total: Int, in sums: inout MutableSpan<UInt32>, count: Int) {
  let row = unsafe sums.numbers(at: row, count: count)
  let total = unsafe sums.numbers(at: total, count: count)
  for index in 0..<count { unsafe total[index] &+= row[index] }
}

extension MutableSpan<UInt32> {
  /// A pointer to the `count` numbers at `offset`, valid as long as the span is. Traps unless all are in bounds.
  @inline(__always)
  mutating func numbers(at offset: Int, count: Int) -> UnsafeMutablePointer<UInt32> {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeMutableBufferPointer { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}
