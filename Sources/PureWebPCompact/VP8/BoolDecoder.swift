// The bool decoder (RFC 6386, section 7). To keep the code small, a single bool is read as a number of one bit.
//
// A partition is a binary fraction. The decoder stores an interval that contains the fraction. For each bool, it splits
// the interval in proportion to the probability of a 0. The part that contains the fraction determines the bool and
// becomes the new interval, which is scaled to a size of 128 to 255:
//
//        window                          split                        range
//   0 ─────┼───────────────────────────────┼────────────────────────────┤
//          └─ not above the split: 0       └─ above the split: 1

/// Decodes bools from one partition.
struct BoolDecoder {
  /// The bits of the partition that have been loaded and not consumed, minus the start of the arithmetic decoder's
  /// current interval.
  private var window: UInt64 = 0
  /// The interval's size minus one: 127...254 between calls.
  private var range: UInt32 = 254
  /// The number of bits of `window` below the 8 bits that are compared with the split. If it is negative, more bytes
  /// are needed.
  private var spare: Int32 = -8
  /// The position of the next byte to read. It is past the end of the partition if a bool needed more bits than there
  /// are. From then on all bools are meaningless.
  private var position = 0

  func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  /// Reads the next bool, which is 0 with a probability of `probability` / 256.
  @inline(__always)
  mutating func bit(_ probability: UInt8, _ bytes: Span<UInt8>) -> Int32 {
    if spare < 0 { refill(bytes) }
    let below = UInt64(UInt32(bitPattern: spare))
    let split = (range &* UInt32(probability)) >> 8
    // Both cases call `rescale`, because shared code after the branch could not start before the branch is resolved.
    if UInt32(truncatingIfNeeded: window &>> below) > split {
      window &-= UInt64(split &+ 1) &<< below
      rescale(to: range &- split)
      return 1
    }
    rescale(to: split &+ 1)
    return 0
  }

  /// Doubles the interval until it spans at least 128 steps again (section 7.3).
  @inline(__always)
  private mutating func rescale(to size: UInt32) {
    let shift = UInt32(truncatingIfNeeded: size.leadingZeroBitCount ^ 24)
    range = (size &<< shift) &- 1
    spare &-= Int32(bitPattern: shift)
  }

  /// Reads the sign of a coefficient (section 13.2), a bool of probability one half. Returns `magnitude`, negated if
  /// the bool is true. The first bool of a partition must not be read with this function, because the resulting
  /// interval would be wrong.
  @inline(__always)
  mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32 {
    if spare < 0 { refill(bytes) }
    let below = UInt64(UInt32(bitPattern: spare))
    let split = range >> 1
    let compared = UInt32(truncatingIfNeeded: window &>> below)
    let negative = Int32(bitPattern: split &- compared) >> 31  // all ones, or zero
    spare &-= 1
    range = (range &+ UInt32(bitPattern: negative)) | 1
    window &-= UInt64((split &+ 1) & UInt32(bitPattern: negative)) &<< below
    return (magnitude ^ negative) &- negative
  }

  /// Descends a tree (section 8.1) from a node to a leaf. Trees are as in the RFC, except that leaf n is 32 + n.
  ///
  /// - Parameter start: the index in `probabilities` of the tree's probabilities.
  @inline(__always)
  mutating func leaf(
    of tree: [UInt8], from node: Int, _ probabilities: Span<UInt8>, at start: Int, _ bytes: Span<UInt8>
  ) -> Int {
    var node = node
    repeat {
      node = Int(tree[node &+ Int(bit(probabilities[start &+ node >> 1], bytes))])
    } while node < 32
    return node &- 32
  }

  @inline(__always)
  private mutating func refill(_ bytes: Span<UInt8>) {
    (window, spare, position) = Self.refilled(window, spare, position, bytes)
  }
}

// MARK: Numbers (section 8)

extension BoolDecoder {
  /// Reads an unsigned number of `bits` bools of the same probability, most significant bit first.
  @inline(never)
  mutating func literal(_ bits: Int, _ bytes: Span<UInt8>, probability: UInt8 = 128) -> Int32 {
    var (value, left): (Int32, _) = (0, bits)
    while left > 0 {
      value = value << 1 | bit(probability, bytes)
      left &-= 1
    }
    return value
  }

  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    literal(1, bytes, probability: probability) != 0
  }

  /// Reads bools up to the first true one.
  ///
  /// - Parameters:
  ///   - probabilities: the probabilities of the next bools, from `start` on.
  /// - Returns: the index of the true bool, or the number of probabilities if all are false.
  mutating func indexOfTrue(in probabilities: [UInt8], from start: Int, _ bytes: Span<UInt8>) -> Int {
    var index = start
    while index < probabilities.count, !bool(probabilities[index], bytes) { index += 1 }
    return index
  }
}
