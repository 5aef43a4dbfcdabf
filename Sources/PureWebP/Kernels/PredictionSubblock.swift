// Prediction of 4 × 4 subblocks (RFC 6386, section 12.3).
//
// A subblock is predicted from the 13 pixels around it, taken here as one string that runs up the left column, around
// the corner and along the row above, with its ends doubled:
//
//   place    0 1 2 3 4 5 6 7 8 9 10 11 12 13 14             X │ A B C D E F G H
//   edge     L L K J I X A B C D E  F  G  H  H            ────┼────────
//   pairs    rounded average of places i, i + 1             I │
//   triples  rounded 1-2-1 average of i, i + 1, i + 2       J │
//                                                           K │
// The directional modes are windows of four of these        L │
// averages, one window for each row.

/// The pixels around a subblock.
struct SubblockEdge {
  /// L, K, J, I: the lowest pixel in the lowest byte.
  var left: UInt32
  /// X
  var corner: UInt8
  /// A...H, the first in the lowest byte.
  var above: UInt64
}

/// The 16 pixels of a subblock's prediction in raster order.
@inline(__always)
func predictSubblock(_ mode: SubblockMode, _ edge: SubblockEdge) -> Bytes {
  switch mode {
  case .dc: return edge.average
  case .trueMotion: return edge.trueMotion
  case .vertical:
    let row = edge.string.triples.dropping(5)
    return pixels(row, row, row, row)
  case .horizontal:
    let twice = edge.string.triples
    let column = twice.interleavedLow(twice)
    let rows = bits(column, as: Words.self).interleavedLow(bits(column, as: Words.self))
    let quads = bits(rows, as: SIMD4<UInt32>.self)
    return bits(SIMD4(quads[3], quads[2], quads[1], quads[0]), as: Bytes.self)
  case .leftDown:
    let triples = edge.string.triples
    return pixels(triples.dropping(6), triples.dropping(7), triples.dropping(8), triples.dropping(9))
  case .rightDown:
    let triples = edge.string.triples
    return pixels(triples.dropping(4), triples.dropping(3), triples.dropping(2), triples.dropping(1))
  case .verticalRight:
    // The lower two rows are the upper two, moved to the right by one; what comes in is from further down.
    let triples = edge.string.triples
    let pairs = edge.string.pairs
    let moved = twoRows(pairs.dropping(4), triples.dropping(3))
    let entering = twoRows(triples.dropping(3), triples.dropping(2)).and(quadruples(0x0000_00FF))
    return pixels(
      twoRows(pairs.dropping(5), triples.dropping(4)), moved.and(quadruples(0xFFFF_FF00)).or(entering))
  case .verticalLeft:
    // They are moved to the left by one, and what comes in at the end is always from the triples.
    let triples = edge.string.triples
    let pairs = edge.string.pairs
    let moved = twoRows(pairs.dropping(7), triples.dropping(7))
    let entering = twoRows(triples.dropping(7), triples.dropping(8)).and(quadruples(0xFF00_0000))
    return pixels(
      twoRows(pairs.dropping(6), triples.dropping(6)), moved.and(quadruples(0x00FF_FFFF)).or(entering))
  case .horizontalDown:
    let triples = edge.string.triples
    let alternating = edge.string.pairs.interleavedLow(triples)
    let first = bits(alternating.dropping(8), as: Words.self)
      .interleavedLow(bits(triples.dropping(5), as: Words.self))
    return pixels(
      bits(first, as: Bytes.self), alternating.dropping(6), alternating.dropping(4), alternating.dropping(2))
  case .horizontalUp:
    // Downwards: pair 3, triple 2, pair 2, triple 1, pair 1, triple 0, and then L.
    let alternating = bits(edge.string.pairs.interleavedLow(edge.string.triples), as: SIMD2<UInt64>.self)
    let last = UInt64(edge.left & 0xFF) &* 0x0101_0101_0101_0101
    let downwards = bits(
      SIMD2(alternating[0].byteSwapped &>> 8 | last &<< 56, last), as: Bytes.self)
    return pixels(downwards, downwards.dropping(2), downwards.dropping(4), downwards.dropping(6))
  }
}

extension SubblockEdge {
  /// The edge as one string of 15 pixels.
  @inline(__always)
  fileprivate var string: Bytes {
    let low = UInt64(left & 0xFF) | UInt64(left) &<< 8 | UInt64(corner) &<< 40 | above &<< 48
    let high = above &>> 16 | (above &>> 56) &<< 48
    return bits(SIMD2(low, high), as: Bytes.self)
  }

  @inline(__always)
  fileprivate var average: Bytes {
    let eight = UInt64(left) | above &<< 32
    let pairs = (eight & 0x00FF_00FF_00FF_00FF) &+ ((eight &>> 8) & 0x00FF_00FF_00FF_00FF)
    let sum = (pairs &* 0x0001_0001_0001_0001) &>> 48
    return Bytes(repeating: UInt8(truncatingIfNeeded: (sum &+ 4) &>> 3))
  }

  @inline(__always)
  fileprivate var trueMotion: Bytes {
    // The row above twice, as each vector of words holds two rows; each row has its own left pixel to add.
    let twice = bits(SIMD4(repeating: UInt32(truncatingIfNeeded: above)), as: Bytes.self).widenedLow
    let offsets = twice &- SignedWords(repeating: Int16(corner))
    let pairs = bits(SIMD4(left.byteSwapped, 0, 0, 0), as: Bytes.self)
    let column = bits(pairs.interleavedLow(pairs), as: Words.self)
    let quads = bits(column.interleavedLow(column), as: Bytes.self)
    return (offsets &+ quads.widenedLow).narrowed(offsets &+ quads.widenedHigh)
  }
}

extension SIMD16<UInt8> {
  /// ⌈(a + b) / 2⌉ of each lane and the next.
  @inline(__always)
  fileprivate var pairs: Bytes { average(following) }

  /// ⌊(a + 2b + c + 2) / 4⌋ of each lane and the two after it: the average of b with that of a and c rounded down.
  @inline(__always)
  fileprivate var triples: Bytes {
    let b = following
    let c = b.following
    let roundedDown = average(c) &- xor(c).and(Bytes(repeating: 1))
    return b.average(roundedDown)
  }

  /// The window that begins at a place known when compiling.
  @inline(__always)
  fileprivate func dropping(_ places: Int) -> Bytes {
    var window = self
    for _ in 0..<places { window = window.following }
    return window
  }
}

/// The first four bytes of each, one row after the other.
@inline(__always)
private func pixels(_ row0: Bytes, _ row1: Bytes, _ row2: Bytes, _ row3: Bytes) -> Bytes {
  pixels(twoRows(row0, row1), twoRows(row2, row3))
}

@inline(__always)
private func pixels(_ rows01: Bytes, _ rows23: Bytes) -> Bytes {
  bits(
    bits(rows01, as: SIMD2<UInt64>.self).interleavedLow(bits(rows23, as: SIMD2<UInt64>.self)), as: Bytes.self)
}

@inline(__always)
private func twoRows(_ upper: Bytes, _ lower: Bytes) -> Bytes {
  bits(bits(upper, as: SIMD4<UInt32>.self).interleavedLow(bits(lower, as: SIMD4<UInt32>.self)), as: Bytes.self)
}

@inline(__always)
private func quadruples(_ mask: UInt32) -> Bytes { bits(SIMD4(repeating: mask), as: Bytes.self) }
