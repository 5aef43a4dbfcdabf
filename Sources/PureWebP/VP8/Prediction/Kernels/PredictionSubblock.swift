// Prediction of 4 × 4 subblocks (RFC 6386, section 12.3).
//
// A subblock is predicted from the 13 pixels around it. Most directional modes use them as one string: the left column
// from bottom to top, the corner, and the row above, whose last pixel is repeated:
//
//   index    0 1 2 3 4 5 6 7 8 9 10 11 12 13             X │ A B C D E F G H
//   edge     L K J I X A B C D E F  G  H  H             ───┼────────
//   pairs    rounded average of pixels i, i + 1          I │
//   triples  rounded 1-2-1 average of i, i + 1, i + 2    J │
//                                                        K │
// The modes are windows of four of these averages,       L │
// one window for each row.
//
// Each subblock depends on the last column of the subblock to its left. This dependency chain limits the speed.
// Therefore few instructions lead from that column to the pixels, and modes that do not use it do not wait for it.
//
// Plain formula: `PlainVP8.predict` in Tests/PureWebPTests/Reference/PlainVP8.swift.

internal import WebPFormat

/// The pixels around a subblock.
struct SubblockEdge {
  /// I, J, K, L
  var left: SIMD4<UInt32>
  /// X
  var corner: UInt8
  /// A...H, the first in the lowest byte.
  var above: UInt64
}

/// The 16 pixels of a subblock's prediction.
@inline(__always)
func predictSubblock(_ mode: SubblockMode, _ edge: SubblockEdge) -> WideBlock {
  switch mode {
  case .dc: edge.average
  case .trueMotion: edge.trueMotion
  default: WideBlock(directional(mode, edge))
  }
}

@inline(__always)
private func directional(_ mode: SubblockMode, _ edge: SubblockEdge) -> Bytes {
  switch mode {
  case .dc, .trueMotion: return .zero
  case .vertical:
    let row = edge.upper.triples.dropping(4)
    return pixels(row, row, row, row)
  case .horizontal:
    let column = edge.downwards.triples
    let twice = cast(column.interleavedLow(column), as: Words.self)
    return cast(twice.interleavedLow(twice), as: Bytes.self)
  case .leftDown:
    let triples = edge.upper.triples
    return pixels(triples.dropping(5), triples.dropping(6), triples.dropping(7), triples.dropping(8))
  case .rightDown:
    let triples = edge.string.triples
    return pixels(triples.dropping(3), triples.dropping(2), triples.dropping(1), triples)
  case .verticalRight:
    // The lower two rows are the upper two, shifted to the right by one pixel. The new pixels come from the left
    // column.
    let triples = edge.string.triples
    let pairs = edge.string.pairs
    let moved = twoRows(pairs.dropping(3), triples.dropping(2))
    let entering = twoRows(triples.dropping(2), triples.dropping(1)).and(quadruples(0x0000_00FF))
    return pixels(
      twoRows(pairs.dropping(4), triples.dropping(3)), moved.and(quadruples(0xFFFF_FF00)).or(entering))
  case .verticalLeft:
    // The lower two rows are the upper two, shifted to the left by one pixel. The new last pixels are always triples.
    let triples = edge.upper.triples
    let pairs = edge.upper.pairs
    let moved = twoRows(pairs.dropping(6), triples.dropping(6))
    let entering = twoRows(triples.dropping(6), triples.dropping(7)).and(quadruples(0xFF00_0000))
    return pixels(
      twoRows(pairs.dropping(5), triples.dropping(5)), moved.and(quadruples(0x00FF_FFFF)).or(entering))
  case .horizontalDown:
    let triples = edge.string.triples
    let alternating = edge.string.pairs.interleavedLow(triples)
    let first = cast(alternating.dropping(6), as: Words.self)
      .interleavedLow(cast(triples.dropping(4), as: Words.self))
    return pixels(
      cast(first, as: Bytes.self), alternating.dropping(4), alternating.dropping(2), alternating)
  case .horizontalUp:
    let column = edge.downwards.dropping(1)
    let alternating = column.pairs.interleavedLow(column.triples)
    return pixels(alternating, alternating.dropping(2), alternating.dropping(4), alternating.dropping(6))
  }
}

extension SubblockEdge {
  /// The edge as one string.
  @inline(__always)
  fileprivate var string: Bytes { bytes(left.reversed, .zero).or(upper) }

  /// The string without L, K, J, I.
  @inline(__always)
  fileprivate var upper: Bytes {
    cast(SIMD2(UInt64(corner) &<< 32 | above &<< 40, above &>> 24 | (above &>> 56) &<< 40), as: Bytes.self)
  }

  /// X, I, J, K, and then L four times.
  @inline(__always)
  fileprivate var downwards: Bytes {
    let column = cast(bytes(left, SIMD4(repeating: left[3])), as: SIMD2<UInt64>.self)
    return cast(column &<< 8, as: Bytes.self).or(cast(SIMD2(UInt64(corner), 0), as: Bytes.self))
  }

  /// The rounded average of A...D and I...L (section 12.3, B_DC_PRED).
  @inline(__always)
  fileprivate var average: WideBlock {
    let above = UInt32(truncatingIfNeeded: above)
    let pairsAbove = (above & 0x00FF_00FF) &+ ((above &>> 8) & 0x00FF_00FF)
    let rounded = (pairsAbove &* 0x0001_0001) &>> 16 &+ 4
    // All four lanes get the same sum.
    let pairs = left &+ SIMD4(rounded, 0, 0, 0)
    let halves = pairs &+ SIMD4(pairs[2], pairs[3], pairs[0], pairs[1])
    let sums = (halves &+ SIMD4(halves[1], halves[0], halves[3], halves[2])) &>> 3
    // Narrows each lane from a byte and three zeros to a byte and one zero, which is a word.
    let words = cast(sums, as: SignedWords.self)
    let row = cast(words.narrowed(words), as: SignedWords.self)
    return WideBlock(rows01: row, rows23: row)
  }

  /// The pixel above plus the pixel to the left, minus the corner, clamped (B_TM_PRED).
  @inline(__always)
  fileprivate var trueMotion: WideBlock {
    // The row above, twice, because each vector of words holds two rows. Each row adds its own left pixel.
    let rows = cast(SIMD4(repeating: UInt32(truncatingIfNeeded: above)), as: Bytes.self).widenedLow
    let offsets = rows &- SignedWords(repeating: Int16(corner))
    let column = cast(cast(left, as: SignedWords.self).narrowed(.zero), as: Words.self)
    let twice = cast(column.interleavedLow(column), as: SIMD4<UInt32>.self)
    let upper = cast(twice.interleavedLow(twice), as: SignedWords.self)
    let lower = cast(twice.interleavedHigh(twice), as: SignedWords.self)
    return WideBlock((offsets &+ upper).narrowed(offsets &+ lower))
  }
}

/// Eight lanes of one byte and three zeros each, packed into eight bytes, followed by zeros.
@inline(__always)
private func bytes(_ low: SIMD4<UInt32>, _ high: SIMD4<UInt32>) -> Bytes {
  let words = cast(low, as: SignedWords.self).narrowed(cast(high, as: SignedWords.self))
  return cast(words, as: SignedWords.self).narrowed(.zero)
}

extension SIMD4<UInt32> {
  @inline(__always)
  fileprivate var reversed: Self { Self(self[3], self[2], self[1], self[0]) }
}

extension SIMD16<UInt8> {
  /// ⌈(a + b) / 2⌉ of each lane and the next.
  @inline(__always)
  fileprivate var pairs: Bytes { average(following) }

  /// ⌊(a + 2b + c + 2) / 4⌋ of each lane and the two after it. This is the rounded average of b and ⌊(a + c) / 2⌋.
  @inline(__always)
  fileprivate var triples: Bytes {
    let b = following
    let c = b.following
    let roundedDown = average(c) &- xor(c).and(Bytes(repeating: 1))
    return b.average(roundedDown)
  }

  /// The window that begins at an offset known at compile time.
  @inline(__always)
  fileprivate func dropping(_ count: Int) -> Bytes {
    var window = self
    for _ in 0..<count { window = window.following }
    return window
  }
}

/// The first four bytes of each vector, row by row.
@inline(__always)
private func pixels(_ row0: Bytes, _ row1: Bytes, _ row2: Bytes, _ row3: Bytes) -> Bytes {
  pixels(twoRows(row0, row1), twoRows(row2, row3))
}

@inline(__always)
private func pixels(_ rows01: Bytes, _ rows23: Bytes) -> Bytes {
  cast(
    cast(rows01, as: SIMD2<UInt64>.self).interleavedLow(cast(rows23, as: SIMD2<UInt64>.self)), as: Bytes.self)
}

@inline(__always)
private func twoRows(_ upper: Bytes, _ lower: Bytes) -> Bytes {
  cast(cast(upper, as: SIMD4<UInt32>.self).interleavedLow(cast(lower, as: SIMD4<UInt32>.self)), as: Bytes.self)
}

@inline(__always)
private func quadruples(_ mask: UInt32) -> Bytes { cast(SIMD4(repeating: mask), as: Bytes.self) }
