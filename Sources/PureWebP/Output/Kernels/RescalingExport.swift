// The second half of the rescaler: from rows of sums to samples (see Output/Rescaler.swift).
//
// Sixteen numbers are processed at a time. Each row of sums is followed by slack, so its last numbers need no special
// case.
//
// Unsafe code: Rows are from `CheckedRows`. A precondition checks the sums, which have slack for fifteen more.
// Plain formula: `plainScaled` in Tests/PureWebPTests/OutputScalingTests.swift.

internal import WebPFormat

/// The number of entries after a row of sums that may be read and written.
let rescalingSlack = 15

/// Writes a row that is interpolated between the rows of sums at `previous` and `current`. `weight` / 2³² is the weight
/// of the previous row.
func exportRowExpanding(
  _ sums: inout MutableSpan<UInt32>, previous: Int, current: Int, weight: UInt32, scale: UInt32,
  into output: inout MutableSpan<UInt8>, at offset: Int, count: Int
) {
  let current = unsafe sums.paddedNumbers(at: current, count: count)
  // If the output row coincides with the current row, the weight is 0, and 2³² − 0 does not fit in 32 bits. In this
  // case, the current row is interpolated with itself.
  let isBetween = weight > 0
  let previous = unsafe isBetween ? sums.paddedNumbers(at: previous, count: count) : current
  let weight = isBetween ? weight : 1 &<< 31
  unsafe exportRow(count, to: output.mutableRow(at: offset, count: count)) { index in
    let mean = unsafe Products(current.four(index)) * (0 &- weight) &+ Products(previous.four(index)) * weight
    return (mean.roundedHigh * scale).roundedHigh.numbers
  }
}

/// Writes a row from the sums at `total`. The part `part` / 2³² of the row at `last` lies beyond the output row. It is
/// subtracted from the sums, and becomes the start of the next sums.
func exportRowShrinking(
  _ sums: inout MutableSpan<UInt32>, total: Int, last: Int, part: UInt32, scale: UInt32,
  into output: inout MutableSpan<UInt8>, at offset: Int, count: Int
) {
  let total = unsafe sums.paddedNumbers(at: total, count: count)
  let last = unsafe sums.paddedNumbers(at: last, count: count)
  unsafe exportRow(count, to: output.mutableRow(at: offset, count: count)) { index in
    let rest = unsafe (Products(last.four(index)) * part).high.numbers
    let value = unsafe total.four(index) &- rest
    unsafe total.storeFour(rest, index)
    return (Products(value) * scale).roundedHigh.numbers
  }
}

/// Writes the sums at `total` without scaling, and clears them.
func exportRowUnscaled(
  _ sums: inout MutableSpan<UInt32>, total: Int, into output: inout MutableSpan<UInt8>, at offset: Int, count: Int
) {
  let total = unsafe sums.numbers(at: total, count: count)
  let output = unsafe output.mutableRow(at: offset, count: count)
  for index in 0..<count {
    unsafe output.storeBytes(of: UInt8(truncatingIfNeeded: total[index]), toByteOffset: index, as: UInt8.self)
    unsafe total[index] = 0
  }
}

/// Writes `count` samples. `four` computes the four samples from an index on. Samples above 255 are clamped.
@inline(__always)
private func exportRow(
  _ count: Int, to output: UnsafeMutableRawPointer, four: (_ index: Int) -> SIMD4<UInt32>
) {
  @inline(__always)
  func words(_ index: Int) -> SignedWords {
    signed(four(index)).narrowed(signed(four(index &+ 4)))
  }
  var index = 0
  while index < count {
    let samples = words(index).narrowed(words(index &+ 8))
    if index &+ 16 <= count {
      unsafe output.storeBytes(of: samples, toByteOffset: index, as: Bytes.self)
    } else {
      for lane in 0..<count &- index {
        unsafe output.storeBytes(of: samples[lane], toByteOffset: index &+ lane, as: UInt8.self)
      }
    }
    index &+= 16
  }
}

/// The same numbers, masked so that the compiler knows that they fit in signed words.
@inline(__always)
private func signed(_ numbers: SIMD4<UInt32>) -> SIMD4<Int32> {
  cast(cast(numbers, as: Bytes.self).and(Bytes(0x7FFF)), as: SIMD4<Int32>.self)
}

extension MutableSpan<UInt32> {
  /// Same as `numbers(at:count:)`, including the slack after the row.
  @inline(__always)
  fileprivate mutating func paddedNumbers(at offset: Int, count: Int) -> UnsafeMutablePointer<UInt32> {
    unsafe numbers(at: offset, count: count &+ rescalingSlack)
  }
}

extension UnsafeMutablePointer<UInt32> {
  @inline(__always)
  fileprivate func four(_ index: Int) -> SIMD4<UInt32> {
    unsafe UnsafeRawPointer(self).loadUnaligned(fromByteOffset: 4 &* index, as: SIMD4<UInt32>.self)
  }

  @inline(__always)
  fileprivate func storeFour(_ numbers: SIMD4<UInt32>, _ index: Int) {
    unsafe UnsafeMutableRawPointer(self).storeBytes(of: numbers, toByteOffset: 4 &* index, as: SIMD4<UInt32>.self)
  }
}
