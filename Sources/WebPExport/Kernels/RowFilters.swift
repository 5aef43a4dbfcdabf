// The filters of PNG (PNG specification, third edition, section 9). Each row is stored as the difference from a
// prediction, byte by byte. The first byte of the row identifies the filter. With x the byte of this row, and a, b, c
// the corresponding bytes of the neighboring pixels:
//
//     c b        none x    sub x − a    up x − b    average x − ⌊(a + b) / 2⌋
//     a x        Paeth x − p, where p is the one of a, b, c that is nearest to a + b − c
//
// Sixteen bytes are computed at a time. The last vector of a row reads bytes past its end, which both rows have.
//
// Unsafe code: Rows are from `CheckedRows`, with sixteen bytes of slack that are read or written.
// Plain formula: the inverse filters in Tests/TestSupport/PNGReader.swift.

internal import WebPFormat

/// The bytes that rows have in addition to their pixels: at most four zeros before them, and slack after them.
let filterMargin = 16

/// The filter with the smallest sum of the magnitudes of all differences (section 12.7), the first one of several.
///
/// Each magnitude is limited to 16, because only small numbers compress well: the magnitude of larger ones makes no
/// difference.
///
/// - Parameters:
///   - row, above: A row and the row above it. A pixel of zeros precedes each, and `filterMargin` bytes follow.
///   - pixelBytes: The distance from a byte to the corresponding byte of the pixel to its left.
///   - count: The number of bytes without the pixel of zeros.
/// - Returns: 0 to 4.
func smallestFilter(_ row: Span<UInt8>, above: Span<UInt8>, pixelBytes: Int, count: Int) -> UInt8 {
  let row = unsafe row.row(at: 0, count: pixelBytes + count + filterMargin)
  let above = unsafe above.row(at: 0, count: pixelBytes + count + filterMargin)
  var totals = SIMD8<Int>()
  var start = 0
  while start < count {
    // Words hold the sums of 128 groups: 2 · 15 · 16 · 128 = 61440.
    let end = min(count, start &+ 240 &* 128)
    var words = FilterSums<Words>()
    while start < end {
      // Bytes hold the sums of 15 vectors: 15 · 16 = 240.
      let groupEnd = min(end, start &+ 240)
      var bytes = FilterSums<Bytes>()
      while start < groupEnd {
        let neighbors = unsafe Neighborhood(row, above, at: start, pixelBytes: pixelBytes)
        let mask = start &+ 16 <= count ? Bytes(repeating: 255) : lanes(below: count &- start)
        bytes.none = bytes.none &+ limitedMagnitudes(neighbors.x, mask)
        bytes.sub = bytes.sub &+ limitedMagnitudes(neighbors.sub, mask)
        bytes.up = bytes.up &+ limitedMagnitudes(neighbors.up, mask)
        bytes.average = bytes.average &+ limitedMagnitudes(neighbors.average, mask)
        bytes.paeth = bytes.paeth &+ limitedMagnitudes(neighbors.paeth, mask)
        start &+= 16
      }
      words.none = words.none &+ pairSums(bytes.none)
      words.sub = words.sub &+ pairSums(bytes.sub)
      words.up = words.up &+ pairSums(bytes.up)
      words.average = words.average &+ pairSums(bytes.average)
      words.paeth = words.paeth &+ pairSums(bytes.paeth)
    }
    totals[0] &+= sum(words.none)
    totals[1] &+= sum(words.sub)
    totals[2] &+= sum(words.up)
    totals[3] &+= sum(words.average)
    totals[4] &+= sum(words.paeth)
  }
  var smallest = 0
  for code in 1...4 where totals[code] < totals[smallest] { smallest = code }
  return UInt8(smallest)
}

/// Writes the differences of a row.
///
/// - Parameters:
///   - row, above, pixelBytes, count: As for `smallestFilter`.
///   - code: The number of the filter, 0 to 4.
///   - output: Receives `count` bytes at `offset`, and up to `filterMargin` more, whose values have no meaning.
func filter(
  _ row: Span<UInt8>, above: Span<UInt8>, pixelBytes: Int, count: Int, code: UInt8,
  into output: inout MutableSpan<UInt8>, at offset: Int
) {
  let row = unsafe row.row(at: 0, count: pixelBytes + count + filterMargin)
  let above = unsafe above.row(at: 0, count: pixelBytes + count + filterMargin)
  let target = unsafe output.mutableRow(at: offset, count: count + filterMargin)

  @inline(__always)
  func write(_ differences: (Neighborhood) -> Bytes) {
    for start in stride(from: 0, to: count, by: 16) {
      let neighbors = unsafe Neighborhood(row, above, at: start, pixelBytes: pixelBytes)
      unsafe target.storeBytes(of: differences(neighbors), toByteOffset: start, as: Bytes.self)
    }
  }
  switch code {
  case 0: write { $0.x }
  case 1: write { $0.sub }
  case 2: write { $0.up }
  case 3: write { $0.average }
  default: write { $0.paeth }
  }
}

/// Sums for the five filters.
private struct FilterSums<Vector: SIMD> {
  var none = Vector()
  var sub = Vector()
  var up = Vector()
  var average = Vector()
  var paeth = Vector()
}

/// Sixteen bytes and their neighbors, and their differences from each prediction.
private struct Neighborhood {
  let x: Bytes
  private let a: Bytes
  private let b: Bytes
  private let c: Bytes

  @inline(__always)
  init(_ row: UnsafeRawPointer, _ above: UnsafeRawPointer, at start: Int, pixelBytes: Int) {
    x = unsafe row.bytes(at: start &+ pixelBytes)
    a = unsafe row.bytes(at: start)
    b = unsafe above.bytes(at: start &+ pixelBytes)
    c = unsafe above.bytes(at: start)
  }

  @inline(__always) var sub: Bytes { x &- a }

  @inline(__always) var up: Bytes { x &- b }

  /// `average` rounds up.
  @inline(__always) var average: Bytes { x &- (a.average(b) &- a.xor(b).and(Bytes(repeating: 1))) }

  /// p = a + b − c, so |p − a| = |b − c| and |p − b| = |a − c|. If both differences have the same sign, |p − c| is
  /// their sum, which is not the smallest one. Otherwise it is the difference of their magnitudes. Ties go to a, then
  /// to b.
  @inline(__always) var paeth: Bytes {
    let (highB, highA) = (b.maximum(c), a.maximum(c))
    let toA = highB &- b.minimum(c)
    let toB = highA &- a.minimum(c)
    let isSameSign = cast(highB .== b, as: Bytes.self).xor(cast(highA .== a, as: Bytes.self)).inverted
    let toC = toA.absoluteDifference(toB).or(isSameSign)
    let nearestOfBC = selected(toB.isAtMost(toC), b, c)
    return x &- selected(toA.isAtMost(toB.minimum(toC)), a, nearestOfBC)
  }
}

@inline(__always)
private func selected(_ mask: Bytes, _ a: Bytes, _ b: Bytes) -> Bytes { a.and(mask).or(b.and(mask.inverted)) }

/// The magnitudes of differences, at most 16, and 0 where the mask is 0.
@inline(__always)
private func limitedMagnitudes(_ differences: Bytes, _ mask: Bytes) -> Bytes {
  differences.minimum(.zero &- differences).minimum(Bytes(repeating: 16)).and(mask)
}

/// 255 in the first `count` lanes, else 0.
@inline(__always)
private func lanes(below count: Int) -> Bytes {
  Bytes(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15).isLess(than: Bytes(repeating: UInt8(count)))
}

@inline(__always)
private func pairSums(_ bytes: Bytes) -> Words {
  cast(bytes.interleavedLow(.zero), as: Words.self) &+ cast(bytes.interleavedHigh(.zero), as: Words.self)
}

@inline(__always)
private func sum(_ words: Words) -> Int {
  var sum = 0
  for lane in 0..<8 { sum &+= Int(words[lane]) }
  return sum
}
