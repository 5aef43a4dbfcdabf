// The arithmetic of the loop filters (RFC 6386, section 15), on sixteen positions of an edge at the same time.
//
// The pixels across an edge, four on each side. Each vector holds one of them at all sixteen positions:
//
//   p3 p2 p1 p0 │ q0 q1 q2 q3
//
// The RFC's filters compute with differences that are clamped to −128...127. All vector instruction sets have
// saturating arithmetic on unsigned bytes, so a difference v is stored as v + 128 (“biased”). To add another
// difference, its positive part is added with saturation and then its negative part is subtracted with saturation. One
// of the two parts is 0.
//
// Plain formula: `PlainVP8.filter` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The limits that decide which pixels of an edge are filtered, repeated for sixteen positions.
struct EdgeLimits {
  /// The limit of the difference across the edge: 2 · |p0 − q0| + ⌊|p1 − q1| / 2⌋ must not exceed it.
  let edge: Bytes
  /// The limit of the differences between neighbors on one side.
  let interior: Bytes
  /// An edge has high variance if |p1 − p0| or |q1 − q0| exceeds this threshold.
  let highVariance: Bytes

  /// The margin is 4 for a macroblock edge and 0 for a subblock edge.
  @inline(__always)
  init(_ strength: FilterStrength, margin: UInt8) {
    edge = Bytes(repeating: strength.edgeLimit &+ margin)
    interior = Bytes(repeating: strength.interiorLimit)
    highVariance = Bytes(repeating: strength.highVarianceThreshold)
  }
}

// MARK: The three filters

/// The simple filter (section 15.2).
@inline(__always)
func filterSimply(_ p1: Bytes, _ p0: inout Bytes, _ q0: inout Bytes, _ q1: Bytes, _ limits: EdgeLimits) {
  let across = Across(p1, p0, q0, q1)
  let mask = across.isWithin(limits.edge)
  _ = adjust(&p0, &q0, by: across.step(fromOuter: across.outer).kept(where: mask))
}

/// The normal filter of a subblock edge (section 15.3).
@inline(__always)
func filterSubblockEdge(
  _ p3: Bytes, _ p2: Bytes, _ p1: inout Bytes, _ p0: inout Bytes,
  _ q0: inout Bytes, _ q1: inout Bytes, _ q2: Bytes, _ q3: Bytes, _ limits: EdgeLimits
) {
  let across = Across(p1, p0, q0, q1)
  let mask = isSmooth(p3, p2, p1, p0, q0, q1, q2, q3, limits).and(across.isWithin(limits.edge))
  let flat = hasLowVariance(p1, p0, q0, q1, limits)
  // The outer pixels contribute only where the variance is high, and change only where it is low.
  let value = across.step(fromOuter: across.outer.and(flat.inverted))
  let applied = adjust(&p0, &q0, by: value.kept(where: mask))
  let half = applied.average(.zero)  // biased by 8
  let change = PixelDifference(half, minus: all(8)).and(flat)
  p1 = p1.adding(change)
  q1 = q1.subtracting(change)
}

/// The normal filter of a macroblock edge (section 15.3).
@inline(__always)
func filterMacroblockEdge(
  _ p3: Bytes, _ p2: inout Bytes, _ p1: inout Bytes, _ p0: inout Bytes,
  _ q0: inout Bytes, _ q1: inout Bytes, _ q2: inout Bytes, _ q3: Bytes, _ limits: EdgeLimits
) {
  let across = Across(p1, p0, q0, q1)
  let mask = isSmooth(p3, p2, p1, p0, q0, q1, q2, q3, limits).and(across.isWithin(limits.edge))
  let flat = hasLowVariance(p1, p0, q0, q1, limits)
  let value = across.step(fromOuter: across.outer)
  // Where the variance is low, three pixels on each side move by ⌊(k · value + 63) / 128⌋ with k = 27, 18, 9. All terms
  // are doubled, so that the quotient is the upper byte of the sum. The code computes with magnitudes. For a negative
  // value, ⌊(63 − n) / 128⌋ = −⌊(n + 64) / 128⌋ with n = −k · value.
  let negative = value.isLess(than: all(128))
  let magnitude = value.absoluteDifference(all(128)).and(flat.and(mask))
  // Where the variance is high, only the two pixels at the edge change.
  _ = adjust(&p0, &q0, by: value.kept(where: mask.and(flat.inverted)))
  let rounding = all(126) &+ negative.and(all(2))
  let nineLow = words(magnitude.interleavedLow(.zero)) &* Words(repeating: 18)
  let nineHigh = words(magnitude.interleavedHigh(.zero)) &* Words(repeating: 18)
  var low = nineLow &+ words(rounding.interleavedLow(.zero))
  var high = nineHigh &+ words(rounding.interleavedHigh(.zero))
  move(&p2, &q2, by: low, high, negative)
  low = low &+ nineLow
  high = high &+ nineHigh
  move(&p1, &q1, by: low, high, negative)
  move(&p0, &q0, by: low &+ nineLow, high &+ nineHigh, negative)
}

// MARK: Conditions

/// 255 where all differences between neighbors on the same side are within the limit.
@inline(__always)
private func isSmooth(
  _ p3: Bytes, _ p2: Bytes, _ p1: Bytes, _ p0: Bytes,
  _ q0: Bytes, _ q1: Bytes, _ q2: Bytes, _ q3: Bytes, _ limits: EdgeLimits
) -> Bytes {
  let p = p3.absoluteDifference(p2).maximum(p2.absoluteDifference(p1)).maximum(p1.absoluteDifference(p0))
  let q = q3.absoluteDifference(q2).maximum(q2.absoluteDifference(q1)).maximum(q1.absoluteDifference(q0))
  return p.maximum(q).isAtMost(limits.interior)
}

/// 255 where there is no high edge variance.
@inline(__always)
private func hasLowVariance(_ p1: Bytes, _ p0: Bytes, _ q0: Bytes, _ q1: Bytes, _ limits: EdgeLimits) -> Bytes {
  p1.absoluteDifference(p0).maximum(q1.absoluteDifference(q0)).isAtMost(limits.highVariance)
}

/// The differences across an edge.
private struct Across {
  /// p1 − q1
  let outer: PixelDifference
  /// q0 − p0
  let inner: PixelDifference

  @inline(__always)
  init(_ p1: Bytes, _ p0: Bytes, _ q0: Bytes, _ q1: Bytes) {
    outer = PixelDifference(p1, minus: q1)
    inner = PixelDifference(q0, minus: p0)
  }

  /// 255 where 4 · |p0 − q0| + |p1 − q1| ≤ 2 · limit + 1.
  @inline(__always)
  func isWithin(_ limit: Bytes) -> Bytes {
    let half = cast(words(outer.magnitude.and(all(0xFE))) &>> 1, as: Bytes.self)
    let inner = inner.magnitude
    return inner.addingSaturated(inner.addingSaturated(half)).isAtMost(limit)
  }

  /// clamp(clamp(outer) + 3 · (q0 − p0)), biased.
  @inline(__always)
  func step(fromOuter outer: PixelDifference) -> Bytes {
    // Three saturating additions instead of one multiplication by 3, because SSE2 cannot multiply bytes.
    all(128).adding(outer).adding(inner).adding(inner).adding(inner)
  }
}

// MARK: Biased arithmetic

extension SIMD16<UInt8> {
  /// self − difference, clamped.
  @inline(__always)
  fileprivate func subtracting(_ difference: PixelDifference) -> Bytes {
    addingSaturated(difference.negative).subtractingSaturated(difference.positive)
  }
}

@inline(__always)
private func all(_ value: UInt8) -> Bytes { Bytes(repeating: value) }

@inline(__always)
private func words(_ bytes: Bytes) -> Words { cast(bytes, as: Words.self) }

/// Adds ⌊clamp(value + 3) / 8⌋ to p0 and subtracts ⌊clamp(value + 4) / 8⌋ from q0. Returns the second number, biased by
/// 16.
@inline(__always)
private func adjust(_ p0: inout Bytes, _ q0: inout Bytes, by value: Bytes) -> Bytes {
  let added = eighth(value.addingSaturated(all(3)))
  let subtracted = eighth(value.addingSaturated(all(4)))
  p0 = p0.adding(PixelDifference(added, minus: all(16)))
  q0 = q0.subtracting(PixelDifference(subtracted, minus: all(16)))
  return subtracted
}

/// value / 8 in each byte. The shift works on words, because SSE2 cannot shift bytes.
@inline(__always)
private func eighth(_ value: Bytes) -> Bytes { cast(words(value) &>> 3, as: Bytes.self).and(all(31)) }

/// Moves p and q toward each other by ⌊sum / 256⌋, or apart where `negative` is set. There both are complemented before
/// and after the addition, which makes it a subtraction.
@inline(__always)
private func move(_ p: inout Bytes, _ q: inout Bytes, by low: Words, _ high: Words, _ negative: Bytes) {
  let amount = cast(low &>> 8, as: SignedWords.self).narrowed(cast(high &>> 8, as: SignedWords.self))
  p = p.xor(negative).addingSaturated(amount).xor(negative)
  q = q.xor(negative).subtractingSaturated(amount).xor(negative)
}
