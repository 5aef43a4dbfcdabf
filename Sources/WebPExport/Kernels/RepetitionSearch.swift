// Searches for repetitions in the filtered rows of a PNG.
//
// Filtered photos have runs of one byte, and repetitions of a pixel or two. A repetition is used only if it takes fewer
// bits than its bytes do as literals, which depends on the literals: a zero may take one bit, other bytes eight.
//
// Unsafe code: The range is within the span. Loops end where the bytes that they read would exceed the range. Distances
// are limited to the position. The tables have an entry for each hash, and the costs one for each byte value.
// Plain formula: `blocksCanBeInflated` in Tests/WebPExportTests/BlockDeflaterTests.swift, which decodes with zlib.

internal import WebPFormat

/// Finds runs of one byte, which are repetitions with distance 1.
///
/// - Parameters:
///   - range: The bytes to search. The first byte of a run may repeat the byte that precedes them.
///   - repetitions: Receives the repetitions.
func findRuns(
  in bytes: Span<UInt8>, _ range: Range<Int>, _ symbols: SymbolCounts,
  into repetitions: inout ContiguousArray<Repetition>
) {
  let (counts, total) = (symbols.counts.span, logarithm(range.count))
  unsafe bytes.withUnsafeBytes { buffer in
    guard let bytes = buffer.baseAddress else { return }
    precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
    var literals = range.lowerBound
    var position = max(1, literals)
    // Nineteen bytes are read: runs of four bytes may start at each of sixteen positions.
    while position &+ 19 <= range.upperBound {
      let starts = unsafe bytes.runStarts(at: position)
      guard starts.0 | starts.1 != 0 else {
        position &+= 16
        continue
      }
      let first = starts.0 != 0 ? starts.0.trailingZeroBitCount : 64 &+ starts.1.trailingZeroBitCount
      position &+= first >> 3
      var length = unsafe bytes.commonLength(position, position &- 1, atMost: range.upperBound &- position)
      // A run takes about five bits. The costs of bytes that occur only in runs are too low.
      let cost = total &- logarithm(Int(counts[Int(unsafe bytes.byte(at: position))]))
      guard length >= 8 || length &* cost > 5 &<< 10 else {
        position &+= length
        continue
      }
      while length >= 3 {
        // No part has one byte or two.
        let part = length == 259 || length == 260 ? 256 : min(length, 258)
        repetitions.append(
          Repetition(literals: Int32(position &- literals), length: UInt16(part), distance: 1))
        position &+= part
        length &-= part
        literals = position
      }
    }
  }
}

/// Finds repetitions of three bytes and more, at any distance.
struct RepetitionSearch {
  // The last positions of three and of six bytes, by hashes of these bytes. The lowest 32 bits of a position suffice,
  // because bytes are compared.
  private var near: ContiguousArray<UInt32>
  private var far: ContiguousArray<UInt32>
  /// Hashes are the highest bits of a product.
  private let shift: UInt64

  /// - Parameter count: The number of bytes to search.
  init(count: Int) {
    let bits = min(15, max(8, Int.bitWidth - count.leadingZeroBitCount))
    near = .init(filledWith: 0, count: 1 << bits)
    far = near
    shift = UInt64(64 - bits)
  }

  /// - Parameters:
  ///   - costs: The costs of the symbols.
  ///   - bytes, range, repetitions: As for `findRuns`.
  mutating func find(
    in bytes: Span<UInt8>, _ range: Range<Int>, _ costs: SymbolCosts,
    into repetitions: inout ContiguousArray<Repetition>
  ) {
    let sums = literalSums(bytes, range, costs)
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe near.withUnsafeMutableBufferPointer { near in
        unsafe far.withUnsafeMutableBufferPointer { far in
          guard let bytes = buffer.baseAddress, let near = near.baseAddress, let far = far.baseAddress else { return }
          precondition(range.lowerBound >= 0 && range.upperBound <= buffer.count)
          let search = unsafe Candidates(
            bytes: bytes, range: range, near: near, far: far, shift: shift, costs: costs, sums: sums)
          search.find(into: &repetitions)
        }
      }
    }
  }
}

/// For each byte, and the end: the sum of the costs of the literals before it, modulo 2¹⁶. A run counts as four
/// literals, because it takes about as much.
private func literalSums(_ bytes: Span<UInt8>, _ range: Range<Int>, _ costs: SymbolCosts) -> ContiguousArray<UInt16> {
  let bytes = bytes.extracting(range)
  var result = ContiguousArray<UInt16>(filledWith: 0, count: bytes.count + 1)
  var sums = result.mutableSpan
  let literals = costs.literals.span
  var (sum, before) = (0 as UInt16, 0 as UInt32)
  for index in 0..<bytes.count {
    let byte = unsafe bytes[unchecked: index]
    let cost = unsafe literals[unchecked: Int(byte)]
    // The last four bytes. If they equal the four bytes before this byte, all five are equal.
    let word = before &<< 8 | UInt32(byte)
    sum &+= word == before ? 0 : cost
    before = word
    unsafe sums[unchecked: index &+ 1] = sum
  }
  return result
}

/// A search in bytes and tables of the caller. Their addresses are valid while the caller's function runs.
@safe private struct Candidates {
  let bytes: UnsafeRawPointer
  /// The bytes to search.
  let range: Range<Int>
  let near: UnsafeMutablePointer<UInt32>
  let far: UnsafeMutablePointer<UInt32>
  /// The tables have an entry for each hash.
  let shift: UInt64
  let costs: SymbolCosts
  /// As returned by `literalSums`.
  let sums: ContiguousArray<UInt16>

  func find(into repetitions: inout ContiguousArray<Repetition>) {
    var (literals, position) = (range.lowerBound, max(1, range.lowerBound))
    let end = range.upperBound
    // The next position is searched too, and eight bytes are read there.
    while position &+ 9 <= end {
      var found = best(at: position)
      guard found.gain > 0 else {
        position &+= 1
        continue
      }
      let next = found.length < 16 ? best(at: position &+ 1) : found
      if next.gain > found.gain &+ 8 {
        position &+= 1
        found = next
      }
      repetitions.append(
        Repetition(
          literals: Int32(position &- literals), length: UInt16(found.length),
          distance: UInt16(found.distance)))
      literals = position &+ found.length
      // The positions within long repetitions are hardly ever needed.
      if found.length < 40 {
        for inner in position &+ 2..<max(position &+ 2, min(literals, end &- 8)) {
          unsafe _ = enter(bytes.word(at: inner), at: inner)
        }
      }
      position = literals
    }
  }

  /// Stores a position, and returns the previous ones with the same hashes.
  @inline(__always)
  private func enter(_ word: UInt64, at position: Int) -> (near: UInt32, far: UInt32) {
    let nearHash = Int(truncatingIfNeeded: ((word &<< 40) &* 0x9E37_79B1_85EB_CA87) &>> shift)
    let farHash = Int(truncatingIfNeeded: ((word &<< 16) &* 0x9E37_79B1_85EB_CA87) &>> shift)
    let previous = unsafe (near[nearHash], far[farHash])
    unsafe near[nearHash] = UInt32(truncatingIfNeeded: position)
    unsafe far[farHash] = UInt32(truncatingIfNeeded: position)
    return previous
  }

  /// Returns the repetition at a position that saves most, of at most two. The gain is 0 if there is none.
  ///
  /// Only whether there is a repetition is a branch, because the rest is unpredictable.
  @inline(__always)
  private func best(at position: Int) -> (length: Int, distance: Int, gain: Int) {
    let word = unsafe bytes.word(at: position)
    let previous = enter(word, at: position)
    let last = UInt32(truncatingIfNeeded: position &- 1)
    let limit = UInt32(truncatingIfNeeded: min(position, deflateWindow) &- 1)

    /// The distance of a candidate, or the largest distance if it is farther, and zero if the first three bytes there
    /// are equal.
    @inline(__always)
    func compare(_ candidate: UInt32) -> (distance: Int, difference: UInt64) {
      let distance = Int(min(last &- candidate, limit)) &+ 1
      return (distance, unsafe (bytes.word(at: position &- distance) ^ word) & 0xFF_FFFF)
    }
    let (far, near) = (compare(previous.far), compare(previous.near))
    guard min(far.difference, near.difference) == 0 else { return (0, 0, 0) }

    @inline(__always)
    func repetition(_ distance: Int) -> (length: Int, distance: Int, gain: Int) {
      let length = unsafe bytes.commonLength(
        position, position &- distance, atMost: min(258, range.upperBound &- position))
      return (length, distance, gain(at: position, length, distance))
    }
    let (first, second) = (repetition(far.distance), repetition(near.distance))
    return (
      second.gain > first.gain ? second.length : first.length,
      second.gain > first.gain ? second.distance : first.distance, max(first.gain, second.gain)
    )
  }

  /// The number of bits that a repetition saves, in units of 1/8 bit. Without it, its bytes would be literals and runs.
  /// A run saves least: what is better than a run has a gain.
  @inline(__always)
  private func gain(at position: Int, _ length: Int, _ distance: Int) -> Int {
    let symbol = DeflateSymbol(distance: distance)
    let cost = Int(costs.lengths[length]) &+ Int(costs.distances[symbol.index]) &+ 8 &* symbol.extraBits
    if distance == 1 { return length &* Int(costs.literals[Int(unsafe bytes.byte(at: position))]) > cost ? 1 : 0 }
    let index = position &- range.lowerBound
    return Int(sums[index &+ length] &- sums[index]) &- cost
  }
}

extension UnsafeRawPointer {
  /// The eight bytes at a position, the first one in the lowest bits.
  @inline(__always)
  fileprivate func word(at position: Int) -> UInt64 {
    unsafe UInt64(littleEndian: loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// For each of sixteen positions, 255 if this byte and the next three are equal to the byte that precedes them, else
  /// 0. In two words, whose lowest bits are the first positions.
  @inline(__always)
  fileprivate func runStarts(at position: Int) -> (UInt64, UInt64) {
    let equal = (0..<4).reduce(Bytes(repeating: 255)) { equal, index in
      let (before, byte) = unsafe (bytes(at: position &+ index &- 1), bytes(at: position &+ index))
      return equal.and(cast(before .== byte, as: Bytes.self))
    }
    let words = cast(equal, as: SIMD2<UInt64>.self)
    return (UInt64(littleEndian: words[0]), UInt64(littleEndian: words[1]))
  }

  /// The number of bytes that are equal from two positions on.
  @inline(__always)
  fileprivate func commonLength(_ first: Int, _ second: Int, atMost limit: Int) -> Int {
    var length = 0
    while length &+ 8 <= limit {
      let difference = unsafe word(at: first &+ length) ^ word(at: second &+ length)
      if difference != 0 { return length &+ difference.trailingZeroBitCount >> 3 }
      length &+= 8
    }
    while length < limit, unsafe byte(at: first &+ length) == byte(at: second &+ length) { length &+= 1 }
    return length
  }
}
