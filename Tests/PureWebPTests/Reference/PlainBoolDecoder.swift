/// The decoder of RFC 6386, section 7.3, as written in the RFC: one bit at a time. The end of the data follows
/// libwebp's rule: a bool needs eight bits after the bits that were shifted out before it.
struct PlainBoolDecoder {
  private let bytes: ContiguousArray<UInt8>
  private var value: UInt32
  private var range: UInt32 = 255
  private var shifted = 0
  private(set) var isExhausted = false

  init(_ bytes: ContiguousArray<UInt8>) {
    self.bytes = bytes
    value = 0
    isExhausted = bytes.isEmpty
    for bit in 0..<8 { value = value << 1 | bitOfInput(bit) }
  }

  private func bitOfInput(_ index: Int) -> UInt32 {
    index < 8 * bytes.count ? UInt32(bytes[index / 8] >> (7 - index % 8)) & 1 : 0
  }

  mutating func bool(_ probability: UInt8) -> Bool {
    if shifted + 8 > 8 * bytes.count { isExhausted = true }
    let split = 1 + ((range - 1) * UInt32(probability)) / 256
    let result = value >= split
    if result {
      range -= split
      value -= split
    } else {
      range = split
    }
    while range < 128 {
      value = value << 1 | bitOfInput(shifted + 8)
      range <<= 1
      shifted += 1
    }
    return result
  }
}
