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
    let row = Windows(edge.string.triples)[5]
    return pixels(row, row, row, row)
  case .horizontal:
    let column = Windows(edge.string.triples).low
    return pixels(splat(column &>> 24), splat(column &>> 16), splat(column &>> 8), splat(column))
  case .leftDown:
    let triples = Windows(edge.string.triples)
    return pixels(triples[6], triples[7], triples[8], triples[9])
  case .rightDown:
    let triples = Windows(edge.string.triples)
    return pixels(triples[4], triples[3], triples[2], triples[1])
  case .verticalRight:
    let triples = Windows(edge.string.triples)
    let pairs = Windows(edge.string.pairs)
    return pixels(
      pairs[5], triples[4], pairs[4].replacingFirst(with: triples[3]), triples[3].replacingFirst(with: triples[2]))
  case .verticalLeft:
    let triples = Windows(edge.string.triples)
    let pairs = Windows(edge.string.pairs)
    return pixels(
      pairs[6], triples[6], pairs[7].replacingLast(with: triples[7]), triples[7].replacingLast(with: triples[8]))
  case .horizontalDown:
    let alternating = Windows(edge.string.pairs.interleavedLow(edge.string.triples))
    let corner = Windows(edge.string.triples)[5]
    return pixels(
      alternating[8] & 0xFFFF | corner &<< 16, alternating[6], alternating[4], alternating[2])
  case .horizontalUp:
    // Downwards: pair 3, triple 2, pair 2, triple 1, pair 1, triple 0, and then L.
    let alternating = Windows(edge.string.pairs.interleavedLow(edge.string.triples)).low.byteSwapped
    let last = splat(UInt64(edge.left))
    return pixels(
      UInt32(truncatingIfNeeded: alternating &>> 8), UInt32(truncatingIfNeeded: alternating &>> 24),
      UInt32(truncatingIfNeeded: alternating &>> 40) & 0xFFFF | last &<< 16, last)
  }
}

extension SubblockEdge {
  /// The edge as one string of 15 pixels.
  @inline(__always)
  fileprivate var string: Bytes {
    let low =
      UInt64(left & 0xFF) | UInt64(left) &<< 8 | UInt64(corner) &<< 40 | above &<< 48
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
    // The row above twice; each row of two has its own left pixels to add.
    let twice = UInt64(UInt32(truncatingIfNeeded: above)) &* 0x1_0000_0001
    let offsets =
      bits(SIMD2(twice, 0), as: Bytes.self).widenedLow &- SignedWords(repeating: Int16(corner))
    let column = bits(
      SIMD4<UInt32>(
        splat(UInt64(left &>> 24)), splat(UInt64(left &>> 16)),
        splat(UInt64(left &>> 8)), splat(UInt64(left))), as: Bytes.self)
    return (offsets &+ column.widenedLow).narrowed(offsets &+ column.widenedHigh)
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
}

/// Windows of four bytes of a vector, at places known when compiling.
private struct Windows {
  let low: UInt64
  let high: UInt64

  @inline(__always)
  init(_ vector: Bytes) {
    let halves = bits(vector, as: SIMD2<UInt64>.self)
    low = halves[0]
    high = halves[1]
  }

  @inline(__always)
  subscript(place: Int) -> UInt32 {
    if place <= 4 { return UInt32(truncatingIfNeeded: low &>> UInt64(place &* 8)) }
    if place >= 8 { return UInt32(truncatingIfNeeded: high &>> UInt64(place &* 8 &- 64)) }
    return UInt32(truncatingIfNeeded: low &>> UInt64(place &* 8) | high &<< UInt64(64 &- place &* 8))
  }
}

extension UInt32 {
  @inline(__always)
  fileprivate func replacingFirst(with other: UInt32) -> UInt32 { self & 0xFFFF_FF00 | other & 0xFF }

  @inline(__always)
  fileprivate func replacingLast(with other: UInt32) -> UInt32 { self & 0x00FF_FFFF | other & 0xFF00_0000 }
}

/// The lowest byte four times.
@inline(__always)
private func splat(_ value: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: value & 0xFF) &* 0x0101_0101 }

@inline(__always)
private func pixels(_ row0: UInt32, _ row1: UInt32, _ row2: UInt32, _ row3: UInt32) -> Bytes {
  bits(SIMD4(row0, row1, row2, row3), as: Bytes.self)
}
