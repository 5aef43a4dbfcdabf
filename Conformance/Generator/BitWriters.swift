// Writers for the two kinds of bitstreams of WebP.

/// A writer for VP8L, which stores the least significant bit of each byte first (RFC 9649, section 3.2).
struct BitWriter {
  private var whole: [UInt8] = []
  private var rest: UInt64 = 0
  private var count = 0

  mutating func put(_ value: Int, _ bits: Int) {
    precondition(bits <= 32 && value >> bits == 0, "value does not fit into its bits")
    rest |= UInt64(value) << UInt64(count)
    count += bits
    while count >= 8 {
      whole.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
      count -= 8
    }
  }

  /// The bits written so far. The last byte is padded with zero bits.
  var bytes: [UInt8] { count == 0 ? whole : whole + [UInt8(truncatingIfNeeded: rest)] }
}

/// The encoder of VP8's bools (RFC 6386, section 7.3).
///
///     bottom    ├ carry, 1 bit ┼ 8 bits ┼ pending bits ┤    lower end of the interval, without the bytes in `whole`
struct BoolEncoder {
  private var whole: [UInt8] = []
  private var bottom = 0
  private var pending = 0
  private var range = 255

  mutating func put(_ probability: Int, _ bit: Bool) {
    let split = 1 + ((range - 1) * probability >> 8)
    if bit {
      bottom += split
      range -= split
    } else {
      range = split
    }
    while range < 128 {
      range <<= 1
      bottom <<= 1
      pending += 1
    }
    if bottom >> (8 + pending) != 0 { carry() }
    emit()
  }

  private mutating func carry() {
    bottom &= 1 << (8 + pending) - 1
    var last = whole.count - 1
    while whole[last] == 255 {
      whole[last] = 0
      last -= 1
    }
    whole[last] += 1
  }

  private mutating func emit() {
    while pending >= 8 {
      whole.append(UInt8(bottom >> pending))
      bottom &= 1 << pending - 1
      pending -= 8
    }
  }

  /// Writes an unsigned number, most significant bit first, with probability 128.
  mutating func literal(_ value: Int, _ bits: Int) {
    for shift in (0..<bits).reversed() { put(128, value >> shift & 1 == 1) }
  }

  /// Writes a flag that is false if `value` is nil. If it is true, the magnitude and the sign follow.
  mutating func optional(_ value: Int?, _ bits: Int, isSigned: Bool = true) {
    put(128, value != nil)
    guard let value else { return }
    literal(abs(value), bits)
    if isSigned { put(128, value < 0) }
  }

  /// The bools written so far, in as few bytes as possible. Appended bytes are decoded as further bools.
  var bytes: [UInt8] {
    var last = self
    let padding = (8 - pending % 8) % 8
    last.bottom <<= padding
    last.pending += padding
    last.emit()
    return last.whole + [UInt8(last.bottom)]
  }
}
