/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SplitMix64: RandomNumberGenerator {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// Returns a number in `0 ..< bound`. `bound` is at most 2³².
  public mutating func below(_ bound: Int) -> Int {
    Int(((next() >> 32) &* UInt64(bound)) >> 32)
  }
}

/// A sequence of decisions, read from a fuzzer's bytes, and from a seeded generator after the last byte.
///
/// Therefore a few bytes suffice for a complete image. The decision that a byte determines does not depend on later
/// bytes.
public struct Choices {
  private var bytes: ArraySlice<UInt8>
  private var random: SplitMix64

  public init(_ bytes: some Sequence<UInt8> = [], seed: UInt64 = 0) {
    self.bytes = ArraySlice(bytes)
    random = SplitMix64(seed: seed)
  }

  public mutating func byte() -> UInt8 {
    bytes.popFirst() ?? UInt8(truncatingIfNeeded: random.next() >> 32)
  }

  public mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

  /// Returns a number in `0 ..< bound`, from one byte if `bound` is at most 256. Zero bytes yield 0.
  public mutating func below(_ bound: Int) -> Int {
    var number = Int(byte())
    var values = 256
    while values < bound {
      number = number << 8 | Int(byte())
      values <<= 8
    }
    return number % bound
  }

  public mutating func within(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + below(range.count)
  }

  /// Returns true with a probability of 1 / `count`. `count` is at most 256. A byte of 0 yields false, unless `count`
  /// is 1.
  public mutating func oneIn(_ count: Int) -> Bool { below(count) == count - 1 }
}
