// The boolean entropy decoder (RFC 6386, section 7).
//
// A partition is one long binary fraction. The decoder stores an interval of integers that contains the fraction. For
// each bool, it splits the interval in proportion to the probability of a 0. The part that contains the fraction
// determines the bool, and becomes the new interval, scaled to a size of 128 to 255:
//
//        window                          split                        range
//   0 ─────┼───────────────────────────────┼────────────────────────────┤
//          └─ below the split: 0           └─ from the split on: 1
//
// A comparison needs 8 bits of the fraction. `window` contains up to 55 more, so that memory is read less often. The
// layout of `window`, for example with `spare` = 10:
//
//   63                                    17      10 9          0
//   ├─ zero ──────────────────────────────┤ compared ├─ spare ──┤
//
// If the first byte of a partition is 0xFF, the fraction is outside of the initial interval. No encoder produces such a
// partition. Its bools depend on the width of the window and on the times at which it is filled. Both equal libwebp's
// on 64-bit processors, so the bools are equal too.

/// Decodes bools from one partition.
///
/// The decoder stores a position, but not the bytes. Each call receives the bytes of the partition as a span, which may
/// have grown at its end since the last call. A hot loop copies the decoder to a local variable, whose properties the
/// compiler can keep in registers, and stores it back once.
public struct BoolDecoder: Sendable {
  /// The part of the fraction that has been read and not consumed, minus the start of the interval.
  @usableFromInline var window: UInt64 = 0
  /// The interval's size minus one: 127...254 between calls.
  @usableFromInline var range: UInt32 = 254
  /// The number of bits of `window` below the 8 that are compared: −8...55. If it is negative, more bytes are needed.
  @usableFromInline var spare: Int32 = -8
  /// The position of the next byte to read. It is past the end if a bool needed missing bits. All bools from then on
  /// are meaningless.
  public var position = 0

  public init() {}

  /// The state from which `LazyBoolDecoder` continues. The interval's size is 128...255.
  public var state: (window: UInt64, size: UInt64, spare: Int, position: Int) {
    (window, UInt64(range) + 1, Int(spare), position)
  }

  @inlinable @inline(__always)
  public func isExhausted(_ bytes: Span<UInt8>) -> Bool { position > bytes.count }

  /// Reads the next bool, which is false with a probability of `probability` / 256.
  @inlinable @inline(__always)
  public mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool {
    if spare < 0 { refill(bytes) }
    let below = UInt64(UInt32(bitPattern: spare))
    let split = (range &* UInt32(probability)) >> 8
    // Both cases call `rescale`, because shared code after the branch could not start before the branch is resolved.
    if UInt32(truncatingIfNeeded: window &>> below) > split {
      window &-= UInt64(split &+ 1) &<< below
      rescale(to: range &- split)
      return true
    }
    rescale(to: split &+ 1)
    return false
  }

  /// Reads bools that are rarely true, up to the first true one.
  ///
  /// - Parameter probabilities: the probabilities of the next bools, from `start` on.
  /// - Returns: the index of the true bool, or the number of probabilities if all are false.
  public mutating func indexOfTrue(in probabilities: [UInt8], from start: Int, _ bytes: Span<UInt8>) -> Int {
    var index = start
    while index < probabilities.count {
      if spare < 0 { refill(bytes) }
      // If the split is not less than `least`, the bool is false, and the interval remains so large that it is not
      // scaled.
      let least = max(UInt32(truncatingIfNeeded: window &>> UInt64(UInt32(bitPattern: spare))), 127)
      var range = self.range
      while index < probabilities.count {
        let split = (range &* UInt32(probabilities[index])) >> 8
        if split < least { break }
        range = split
        index += 1
      }
      self.range = range
      guard index < probabilities.count else { break }
      if bool(probabilities[index], bytes) { return index }
      index += 1
    }
    return index
  }

  /// Reads the sign of a coefficient (section 13.2), a bool of probability one half. Returns `magnitude`, negated if
  /// the bool is true. The first bool of a partition must not be read with this function, because the resulting
  /// interval would be wrong.
  @inlinable @inline(__always)
  public mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32 {
    if spare < 0 { refill(bytes) }
    let below = UInt64(UInt32(bitPattern: spare))
    let split = range >> 1
    let compared = UInt32(truncatingIfNeeded: window &>> below)
    let negative = Int32(bitPattern: split &- compared) >> 31  // all ones, or zero: no branch to mispredict
    spare &-= 1
    range = (range &+ UInt32(bitPattern: negative)) | 1
    window &-= UInt64((split &+ 1) & UInt32(bitPattern: negative)) &<< below
    return (magnitude ^ negative) &- negative
  }

  /// Doubles the interval until it spans at least 128 steps again (section 7.3).
  @inlinable @inline(__always)
  mutating func rescale(to size: UInt32) {
    #if !arch(wasm32)
      precondition(size != 0)  // lets the compiler omit the case of zero in leadingZeroBitCount
    #endif
    let shift = UInt32(truncatingIfNeeded: size.leadingZeroBitCount ^ 24)
    range = (size &<< shift) &- 1
    spare &-= Int32(bitPattern: shift)
  }

  @inlinable @inline(__always)
  mutating func refill(_ bytes: Span<UInt8>) {
    (window, spare, position) = Self.refilled(window, spare, position, bytes)
  }
}

// MARK: Numbers (section 8)

extension BoolDecoder {
  /// Reads an unsigned number of `count` bools of the same probability, most significant bit first.
  @inline(never)
  public mutating func literal(_ count: Int, _ bytes: Span<UInt8>, probability: UInt8 = 128) -> Int32 {
    var (value, left): (Int32, _) = (0, count)
    while left > 0 {
      value = value << 1 | (bool(probability, bytes) ? 1 : 0)
      left &-= 1
    }
    return value
  }

  /// Reads a bool whose probability is one half.
  public mutating func flag(_ bytes: Span<UInt8>) -> Bool { literal(1, bytes) != 0 }

  /// Reads a flag. If it is set, reads a magnitude of `count` bits and its sign. Otherwise the number is 0.
  @inline(never)
  public mutating func optionalSigned(_ count: Int, _ bytes: Span<UInt8>) -> Int32 {
    if !flag(bytes) { return 0 }
    let magnitude = literal(count, bytes)
    return flag(bytes) ? 0 &- magnitude : magnitude
  }

  /// Reads four numbers with `optionalSigned`.
  @inline(never)
  public mutating func fourOptionalSigned(_ count: Int, _ bytes: Span<UInt8>) -> SIMD4<Int32> {
    var numbers: SIMD4<Int32> = .zero
    for index in 0..<4 { numbers[index] = optionalSigned(count, bytes) }
    return numbers
  }
}

// MARK: Loading of bytes (section 7.3)

extension BoolDecoder {
  /// Appends the next seven bytes to the window, or one byte near the end of the bytes. After the end, it appends a
  /// zero and sets the position past the end.
  ///
  /// The function is not inlined and takes values, so that the decoder's own fields stay in registers.
  @inline(never)
  @usableFromInline static func refilled(
    _ window: UInt64, _ spare: Int32, _ position: Int, _ bytes: Span<UInt8>
  ) -> (UInt64, Int32, Int) {
    if position <= bytes.count &- 8 {
      let next = bytes.loadBigEndian(at: position)
      return (window << 56 | next >> 8, spare &+ 56, position &+ 7)
    }
    guard position < bytes.count else { return (window << 8, spare &+ 8, bytes.count &+ 1) }
    return (window << 8 | UInt64(bytes[position]), spare &+ 8, position &+ 1)
  }
}
