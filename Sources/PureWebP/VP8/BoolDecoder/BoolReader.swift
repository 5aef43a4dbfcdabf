internal import WebPFormat

/// The operations of both bool decoders (RFC 6386, section 7), `BoolDecoder` and `LazyBoolDecoder`.
protocol BoolReader: Sendable {
  /// The offset of the next byte to read.
  var position: Int { get set }

  /// Returns whether a bool was read past the end of the bytes.
  func isExhausted(_ bytes: Span<UInt8>) -> Bool
  /// Reads the next bool, which is false with a probability of `probability` / 256.
  mutating func bool(_ probability: UInt8, _ bytes: Span<UInt8>) -> Bool
  /// Reads the sign of a coefficient (section 13.2), a bool of probability one half. Returns `magnitude`, negated if
  /// the bool is true. The first bool of a partition must not be read with this function, because the resulting
  /// interval would be wrong.
  mutating func sign(_ magnitude: Int32, _ bytes: Span<UInt8>) -> Int32
  /// Reads the next bool without a branch, for unpredictable bools. Returns 0 or −1.
  ///
  /// - Parameter isCoded: 0 or −1. If it is 0, no bool is read, and the result is 0.
  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int
}

extension BoolDecoder: BoolReader {
  @inline(__always)
  mutating func mask(_ probability: UInt8, if isCoded: Int, _ bytes: Span<UInt8>) -> Int {
    isCoded != 0 && bool(probability, bytes) ? -1 : 0
  }
}
