// The loop filters' arithmetic (RFC 6386, section 15), on sixteen places of an edge at once.
//
// The pixels across an edge, four on each side of it, each vector holding one of them at the sixteen places:
//
//   p3 p2 p1 p0 │ q0 q1 q2 q3
//
// The RFC's filters compute with differences of −128...127, clamped there. Vectors of all processors have saturating
// arithmetic on unsigned bytes, so such a value v is held as v + 128 ("biased"): it is added to by addingSaturated with
// the positive part of the other, and then subtractingSaturated with the negative part, one of which is 0.

/// The limits that decide what is filtered at an edge, at sixteen places.
struct EdgeLimits {
  /// Of the difference across the edge: 2 · |p0 − q0| + ⌊|p1 − q1| / 2⌋ must not exceed it.
  let edge: Bytes
  /// Of the differences between neighbours on one side.
  let interior: Bytes
  /// High edge variance begins above it.
  let highVariance: Bytes

  /// With `margin` 4 those of an edge between macroblocks.
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
  let mask = isWithin(limits.edge, p1, p0, q0, q1)
  _ = adjust(&p0, &q0, by: kept(step(p0, q0, from: difference(p1, q1)), where: mask))
}

/// The normal filter of an edge between subblocks (section 15.3).
@inline(__always)
func filterInner(
  _ p3: Bytes, _ p2: Bytes, _ p1: inout Bytes, _ p0: inout Bytes,
  _ q0: inout Bytes, _ q1: inout Bytes, _ q2: Bytes, _ q3: Bytes, _ limits: EdgeLimits
) {
  let mask = isSmooth(p3, p2, p1, p0, q0, q1, q2, q3, limits)
  let flat = hasLowVariance(p1, p0, q0, q1, limits)
  // The outer pixels take part only where the variance is high, and are changed only where it is low.
  let outer = kept(difference(p1, q1), where: flat.inverted)
  let value = kept(step(p0, q0, from: outer), where: mask)
  let applied = adjust(&p0, &q0, by: value)
  let half = applied.average(.zero)  // biased by 8
  let up = half.subtractingSaturated(all(8)).and(flat)
  let down = all(8).subtractingSaturated(half).and(flat)
  p1 = p1.addingSaturated(up).subtractingSaturated(down)
  q1 = q1.addingSaturated(down).subtractingSaturated(up)
}

/// The normal filter of an edge between macroblocks (section 15.3).
@inline(__always)
func filterOuter(
  _ p3: Bytes, _ p2: inout Bytes, _ p1: inout Bytes, _ p0: inout Bytes,
  _ q0: inout Bytes, _ q1: inout Bytes, _ q2: inout Bytes, _ q3: Bytes, _ limits: EdgeLimits
) {
  let mask = isSmooth(p3, p2, p1, p0, q0, q1, q2, q3, limits)
  let flat = hasLowVariance(p1, p0, q0, q1, limits)
  let value = step(p0, q0, from: difference(p1, q1))
  // Where the variance is low: ⌊(k · value + 63) / 128⌋ for k = 27, 18, 9. Magnitude and sign are kept apart.
  let negative = value.isLess(than: all(128))
  let magnitude = value.absoluteDifference(all(128)).and(flat.and(mask))
  // Where it is high: the two pixels at the edge alone.
  _ = adjust(&p0, &q0, by: kept(value, where: mask.and(flat.inverted)))
  // ⌊(63 − n) / 128⌋ = −⌊(n + 64) / 128⌋
  let rounding = negative.and(all(1))
  let nine = Words(repeating: 9)
  let lowNine = words(magnitude.interleavedLow(.zero)) &* nine
  let highNine = words(magnitude.interleavedHigh(.zero)) &* nine
  var low = lowNine &+ (words(rounding.interleavedLow(.zero)) &+ Words(repeating: 63))
  var high = highNine &+ (words(rounding.interleavedHigh(.zero)) &+ Words(repeating: 63))
  move(&p2, &q2, by: low, high, negative)
  low = low &+ lowNine
  high = high &+ highNine
  move(&p1, &q1, by: low, high, negative)
  move(&p0, &q0, by: low &+ lowNine, high &+ highNine, negative)
}

// MARK: What is filtered

/// 255 where 4 · |p0 − q0| + |p1 − q1| ≤ 2 · limit + 1.
@inline(__always)
private func isWithin(_ limit: Bytes, _ p1: Bytes, _ p0: Bytes, _ q0: Bytes, _ q1: Bytes) -> Bytes {
  let outer = p1.absoluteDifference(q1).and(all(0xFE))
  let half = bits(words(outer) &>> 1, as: Bytes.self)
  let inner = p0.absoluteDifference(q0)
  return inner.addingSaturated(inner.addingSaturated(half)).isAtMost(limit)
}

/// 255 where the edge is within its limit and all neighbours are within theirs.
@inline(__always)
private func isSmooth(
  _ p3: Bytes, _ p2: Bytes, _ p1: Bytes, _ p0: Bytes,
  _ q0: Bytes, _ q1: Bytes, _ q2: Bytes, _ q3: Bytes, _ limits: EdgeLimits
) -> Bytes {
  let p = p3.absoluteDifference(p2).maximum(p2.absoluteDifference(p1)).maximum(p1.absoluteDifference(p0))
  let q = q3.absoluteDifference(q2).maximum(q2.absoluteDifference(q1)).maximum(q1.absoluteDifference(q0))
  return p.maximum(q).isAtMost(limits.interior).and(isWithin(limits.edge, p1, p0, q0, q1))
}

/// 255 where there is no high edge variance.
@inline(__always)
private func hasLowVariance(_ p1: Bytes, _ p0: Bytes, _ q0: Bytes, _ q1: Bytes, _ limits: EdgeLimits) -> Bytes {
  p1.absoluteDifference(p0).maximum(q1.absoluteDifference(q0)).isAtMost(limits.highVariance)
}

// MARK: Biased arithmetic

@inline(__always)
private func all(_ value: UInt8) -> Bytes { Bytes(repeating: value) }

@inline(__always)
private func words(_ bytes: Bytes) -> Words { bits(bytes, as: Words.self) }

/// `value` where the mask is 255, else a biased 0.
@inline(__always)
private func kept(_ value: Bytes, where mask: Bytes) -> Bytes { value.xor(all(128)).and(mask).xor(all(128)) }

/// clamp(p1 − q1), biased.
@inline(__always)
private func difference(_ p1: Bytes, _ q1: Bytes) -> Bytes {
  all(128).addingSaturated(p1.subtractingSaturated(q1)).subtractingSaturated(q1.subtractingSaturated(p1))
}

/// clamp(outer + 3 · (q0 − p0)), biased.
@inline(__always)
private func step(_ p0: Bytes, _ q0: Bytes, from outer: Bytes) -> Bytes {
  outer.addingSaturated(threefold(q0.subtractingSaturated(p0)))
    .subtractingSaturated(threefold(p0.subtractingSaturated(q0)))
}

/// 3 · value, at most 255.
@inline(__always)
private func threefold(_ value: Bytes) -> Bytes {
  let third = value.minimum(all(85))
  return third &+ third &+ third
}

/// Adds ⌊clamp(value + 3) / 8⌋ to p0 and subtracts ⌊clamp(value + 4) / 8⌋ from q0. The latter, biased by 16, is returned.
@inline(__always)
private func adjust(_ p0: inout Bytes, _ q0: inout Bytes, by value: Bytes) -> Bytes {
  let added = eighth(value.addingSaturated(all(3)))
  let subtracted = eighth(value.addingSaturated(all(4)))
  p0 = p0.addingSaturated(added.subtractingSaturated(all(16))).subtractingSaturated(all(16).subtractingSaturated(added))
  q0 = q0.addingSaturated(all(16).subtractingSaturated(subtracted))
    .subtractingSaturated(subtracted.subtractingSaturated(all(16)))
  return subtracted
}

/// value / 8 in each byte; shifts are of words.
@inline(__always)
private func eighth(_ value: Bytes) -> Bytes { bits(words(value) &>> 3, as: Bytes.self).and(all(31)) }

/// Moves p and q towards each other by ⌊sum / 128⌋, apart where `negative`. There both are complemented, which turns
/// adding into subtracting.
@inline(__always)
private func move(_ p: inout Bytes, _ q: inout Bytes, by low: Words, _ high: Words, _ negative: Bytes) {
  let amount = bits(low &>> 7, as: SignedWords.self).narrowed(bits(high &>> 7, as: SignedWords.self))
  p = p.xor(negative).addingSaturated(amount).xor(negative)
  q = q.xor(negative).subtractingSaturated(amount).xor(negative)
}
