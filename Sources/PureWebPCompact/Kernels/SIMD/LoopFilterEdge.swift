// An edge of the loop filter (RFC 6386, sections 15.2 and 15.3), at sixteen positions together. Edges of both
// directions are loaded and stored in the same way. The pixels across an edge are stored as eight lines of sixteen
// positions:
//
//   p3 p2 p1 p0 │ q0 q1 q2 q3
//
// The filters compute with differences that are clamped to −128...127. A difference v is stored as the byte v + 128
// (“biased”), because saturating arithmetic then clamps it. To add another difference, its positive part is added and
// its negative part is subtracted. One of the two parts is 0 (`PixelDifference`).
//
// Unsafe code: They filter only edges inside of the image: eight lines or columns on each side of them exist, of
// which the simple filter reads two.
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// Filters sixteen positions of an edge: eight from the pixel `first` after the edge on, and eight from `second` on.
///
/// - Parameters:
///   - isVertical: the positions of the edge are one below another.
///   - margin: is added to `strength.edgeLimit`: 4 for macroblock edges, 0 for subblock edges.
@inline(never)
func filterEdge(
  _ first: UnsafeMutableRawPointer, _ second: UnsafeMutableRawPointer, stride: Int, isVertical: Bool,
  _ strength: FilterStrength, _ filter: EdgeFilter, margin: UInt8
) {
  let before = isVertical ? 4 : 4 &* stride
  let (first, second) = unsafe (first - before, second - before)
  // The simple filter needs two lines on each side, and above the edge there may be no more.
  let needed = filter == .simple && !isVertical ? 2..<6 : 0..<8
  unsafe withUnsafeTemporaryAllocation(of: Bytes.self, capacity: 16) { memory in
    var lines = unsafe memory.baseAddress.unsafelyUnwrapped
    for i in needed {
      let halves = unsafe SIMD2(
        first.loadUnaligned(fromByteOffset: i &* stride, as: UInt64.self),
        second.loadUnaligned(fromByteOffset: i &* stride, as: UInt64.self))
      unsafe lines[i] = cast(halves, as: Bytes.self)
    }
    // The index of a pixel in memory has seven bits: three for its line and four for its position. Each step rotates
    // these bits by one. Four steps exchange lines and positions, and three more steps restore the order.
    if isVertical { unsafe lines = rotate(lines, steps: 4) }
    unsafe filterLines(lines, strength, filter, margin: margin)
    if isVertical { unsafe lines = rotate(lines, steps: 3) }
    for i in needed {
      let halves = unsafe cast(lines[i], as: SIMD2<UInt64>.self)
      unsafe first.storeBytes(of: halves[0], toByteOffset: i &* stride, as: UInt64.self)
      unsafe second.storeBytes(of: halves[1], toByteOffset: i &* stride, as: UInt64.self)
    }
  }
}

/// Returns the position of the rotated lines: `lines`, or the eight vectors after them.
@inline(never)
private func rotate(_ lines: UnsafeMutablePointer<Bytes>, steps: Int) -> UnsafeMutablePointer<Bytes> {
  var (source, target) = unsafe (lines, lines + 8)
  for _ in 0..<steps {
    for i in 0..<4 {
      let (a, b) = unsafe (source[i], source[i &+ 4])
      unsafe target[2 &* i] = a.interleavedLow(b)
      unsafe target[2 &* i &+ 1] = a.interleavedHigh(b)
    }
    unsafe swap(&source, &target)
  }
  return unsafe source
}

@inline(__always)
private func filterLines(
  _ lines: UnsafeMutablePointer<Bytes>, _ strength: FilterStrength, _ filter: EdgeFilter, margin: UInt8
) {
  let (p1, p0, q0, q1) = unsafe (lines[2], lines[3], lines[4], lines[5])
  let outer = PixelDifference(p1, minus: q1)
  let inner = PixelDifference(q0, minus: p0)
  let distance = inner.magnitude
  // `mask` is 255 where the edge is filtered, and `flat` where it is filtered and the variance is low.
  var mask = distance.addingSaturated(distance.addingSaturated(outer.magnitude &>> 1))
    .isAtMost(all(strength.edgeLimit &+ margin))
  var flat = Bytes()
  if filter != .simple {
    var steepest = Bytes()
    var last = Bytes()
    for i in 0..<3 {
      last = unsafe lines[i].absoluteDifference(lines[i &+ 1])
        .maximum(lines[7 &- i].absoluteDifference(lines[6 &- i]))
      steepest = steepest.maximum(last)
    }
    mask = mask.and(steepest.isAtMost(all(strength.interiorLimit)))
    flat = mask.and(last.isAtMost(all(strength.highVarianceThreshold)))
  }

  // clamp(clamp(outer) + 3 · inner), biased by 128.
  let value = all(128).adding(filter == .subblockEdge ? outer.and(flat.inverted) : outer)
    .adding(inner).adding(inner).adding(inner)
  let change = filter == .macroblockEdge ? mask.and(flat.inverted) : mask
  let changed = value.kept(where: change)
  let added = (changed.minimum(all(252)) &+ all(3)) &>> 3  // biased by 16
  let subtracted = (changed.minimum(all(251)) &+ all(4)) &>> 3
  unsafe lines[3] = p0.adding(PixelDifference(added, minus: all(16)))
  unsafe lines[4] = q0.adding(PixelDifference(all(16), minus: subtracted))

  if filter == .subblockEdge {
    let half = (subtracted &+ all(1)) &>> 1  // biased by 8
    unsafe lines[2] = p1.adding(PixelDifference(half, minus: all(8)).and(flat))
    unsafe lines[5] = q1.adding(PixelDifference(all(8), minus: half).and(flat))
  } else if filter == .macroblockEdge {
    // ⌊(k · value + 63) / 128⌋ for k = 9, 18, 27, from the outer pixels to the pixels at the edge. All terms are
    // doubled, so that the quotient is the upper byte of the sum.
    let negative = value.isLess(than: all(128))
    let magnitude = value.absoluteDifference(all(128)).and(flat)
    let rounding = all(126) &+ negative.and(all(2))
    let (nineLow, nineHigh) = (magnitude.words(0) &* Words(repeating: 18), magnitude.words(1) &* Words(repeating: 18))
    var (low, high) = (rounding.words(0), rounding.words(1))
    for i in 1...3 {
      low = low &+ nineLow
      high = high &+ nineHigh
      let amount = cast(low, as: Bytes.self).odds(cast(high, as: Bytes.self))
      // Moves the pixels toward each other, or apart where the value is negative. In the latter case, the pixels are
      // complemented before and after the addition, which turns it into a subtraction.
      unsafe lines[i] = lines[i].xor(negative).addingSaturated(amount).xor(negative)
      unsafe lines[7 &- i] = lines[7 &- i].xor(negative).subtractingSaturated(amount).xor(negative)
    }
  }
}

@inline(__always)
private func all(_ value: UInt8) -> Bytes { Bytes(repeating: value) }

extension SIMD16<UInt8> {
  /// The low half (0) or the high half (1) as words.
  @inline(__always)
  fileprivate func words(_ half: Int) -> Words {
    cast(half == 0 ? interleavedLow(.zero) : interleavedHigh(.zero), as: Words.self)
  }

  /// The odd lanes of both.
  @inline(__always)
  fileprivate func odds(_ b: Self) -> Self {
    let a = self
    return Self(
      a[1], a[3], a[5], a[7], a[9], a[11], a[13], a[15], b[1], b[3], b[5], b[7], b[9], b[11], b[13], b[15])
  }
}
