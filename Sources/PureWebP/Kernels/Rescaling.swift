// The inner loops of the rescaler (see Output/Rescaler.swift, which tells what they compute).
//
// Rows of sums have a number for each channel of each pixel. Sums wrap around at 2³², as libwebp's do where sides differ
// by so much that they do not fit.

/// (x · y) / 2³², rounded.
@inline(__always)
private func multiplied(_ x: UInt32, _ y: UInt32) -> UInt32 {
  UInt32(truncatingIfNeeded: (UInt64(x) &* UInt64(y) &+ 1 &<< 31) &>> 32)
}

extension MutableSpan<UInt32> {
  /// Where the `count` numbers at `offset` are, good for as long as the span is. Traps unless all are in bounds.
  @inline(__always)
  fileprivate mutating func numbers(at offset: Int, count: Int) -> UnsafeMutablePointer<UInt32> {
    precondition(offset >= 0 && count > 0 && count <= self.count && offset <= self.count &- count, "row out of bounds")
    return unsafe withUnsafeMutableBufferPointer { unsafe $0.baseAddress.unsafelyUnwrapped + offset }
  }
}

/// Spreads a row of samples over more pixels: each output is an interpolation between two neighbours, times `add`.
///
/// - Parameters:
///   - add: width − 1
///   - sub: sourceWidth − 1
func importRowExpanding(
  _ source: Span<UInt8>, at offset: Int, sourceWidth: Int, channels: Int, add: Int, sub: Int,
  into sums: inout MutableSpan<UInt32>, at row: Int, width: Int
) {
  let source = unsafe source.row(at: offset, count: sourceWidth * channels)
  let row = unsafe sums.numbers(at: row, count: width * channels)
  let factor = UInt32(truncatingIfNeeded: add)
  for channel in 0..<channels {
    var next = sourceWidth > 1 ? channel &+ channels : channel
    var left = unsafe UInt32(source.byte(at: channel))
    var right = unsafe UInt32(source.byte(at: next))
    var distance = add
    var place = channel
    let end = width &* channels
    while true {
      unsafe row[place] = right &* factor &+ (left &- right) &* UInt32(truncatingIfNeeded: distance)
      place &+= channels
      if place >= end { break }
      distance &-= sub
      if distance < 0 {
        left = right
        next &+= channels
        right = unsafe UInt32(source.byte(at: next))
        distance &+= add
      }
    }
  }
}

/// Gathers a row of samples in fewer pixels, or as many: each output is a sum of samples, times `sub`, the outermost of
/// them in part.
///
/// - Parameters:
///   - add: sourceWidth
///   - sub: width
///   - scale: 2³² / sub
func importRowShrinking(
  _ source: Span<UInt8>, at offset: Int, sourceWidth: Int, channels: Int, add: Int, sub: Int, scale: UInt32,
  into sums: inout MutableSpan<UInt32>, at row: Int, width: Int
) {
  let source = unsafe source.row(at: offset, count: sourceWidth * channels)
  let row = unsafe sums.numbers(at: row, count: width * channels)
  let factor = UInt32(truncatingIfNeeded: sub)
  for channel in 0..<channels {
    var next = channel
    var sum: UInt32 = 0
    var distance = 0
    for x in 0..<width {
      var sample: UInt32 = 0
      distance &+= add
      while distance > 0 {
        distance &-= sub
        sample = unsafe UInt32(source.byte(at: next))
        sum &+= sample
        next &+= channels
      }
      let beyond = sample &* UInt32(truncatingIfNeeded: 0 &- distance)
      unsafe row[x &* channels &+ channel] = sum &* factor &- beyond
      sum = multiplied(beyond, scale)
    }
  }
}

/// Adds the row at `row` to the one at `total`.
func addRow(at row: Int, toRowAt total: Int, in sums: inout MutableSpan<UInt32>, count: Int) {
  let row = unsafe sums.numbers(at: row, count: count)
  let total = unsafe sums.numbers(at: total, count: count)
  for index in 0..<count { unsafe total[index] &+= row[index] }
}

/// Writes a row between those at `previous` and `current`, `weight` / 2³² of the way back to the previous one.
func exportRowExpanding(
  _ sums: inout MutableSpan<UInt32>, previous: Int, current: Int, weight: UInt32, scale: UInt32,
  into output: inout MutableSpan<UInt8>, at offset: Int, count: Int
) {
  let previous = unsafe sums.numbers(at: previous, count: count)
  let current = unsafe sums.numbers(at: current, count: count)
  let output = unsafe output.mutableRow(at: offset, count: count)
  let currentWeight = 1 &<< 32 &- UInt64(weight)
  for index in 0..<count {
    let sum = unsafe UInt64(current[index]) &* currentWeight &+ UInt64(previous[index]) &* UInt64(weight)
    let mean = UInt32(truncatingIfNeeded: (sum &+ 1 &<< 31) &>> 32)
    unsafe output.storeBytes(of: sample(multiplied(mean, scale)), toByteOffset: index, as: UInt8.self)
  }
}

/// Writes a row from the sums at `total`, but for the part of the row at `last` that lies beyond it: `part` / 2³² of that
/// stays in the sums.
func exportRowShrinking(
  _ sums: inout MutableSpan<UInt32>, total: Int, last: Int, part: UInt32, scale: UInt32,
  into output: inout MutableSpan<UInt8>, at offset: Int, count: Int
) {
  let total = unsafe sums.numbers(at: total, count: count)
  let last = unsafe sums.numbers(at: last, count: count)
  let output = unsafe output.mutableRow(at: offset, count: count)
  for index in 0..<count {
    let rest = unsafe UInt32(truncatingIfNeeded: (UInt64(last[index]) &* UInt64(part)) &>> 32)
    let value = unsafe sample(multiplied(total[index] &- rest, scale))
    unsafe output.storeBytes(of: value, toByteOffset: index, as: UInt8.self)
    unsafe total[index] = rest
  }
}

/// Writes the sums at `total` as they are, and clears them.
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

@inline(__always)
private func sample(_ value: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: min(value, 255)) }
