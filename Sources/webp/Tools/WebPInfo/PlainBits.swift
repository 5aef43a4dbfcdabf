/// Reads the bits of a chunk as webpinfo does: one after another, without arithmetic decoding.
struct PlainBits {
  enum Order {
    /// Bytes and numbers begin with their highest bit, as in VP8.
    case highestFirst
    /// Bytes and numbers begin with their lowest bit, as in VP8L.
    case lowestFirst
  }

  struct End: Error {}

  let bytes: ArraySlice<UInt8>
  let order: Order
  private(set) var position = 0

  mutating func read(_ count: Int) throws(End) -> Int {
    var value = 0
    for index in 0..<count {
      guard position >> 3 < bytes.count else { throw End() }
      let byte = Int(bytes[bytes.startIndex + position >> 3])
      switch order {
      case .highestFirst: value = value << 1 | byte >> (7 - position & 7) & 1
      case .lowestFirst: value |= (byte >> (position & 7) & 1) << index
      }
      position += 1
    }
    return value
  }

  /// Reads a bit that indicates whether a number follows, and the number.
  ///
  /// - Parameters:
  ///   - count: the number of bits of the magnitude.
  ///   - absent: the result if no number follows.
  ///   - isSigned: true if a sign bit follows the magnitude.
  mutating func readOptional(_ count: Int, absent: Int = 0, isSigned: Bool = false) throws(End) -> Int {
    guard try read(1) == 1 else { return absent }
    let magnitude = try read(count)
    guard isSigned, try read(1) == 1 else { return magnitude }
    return -magnitude
  }
}
