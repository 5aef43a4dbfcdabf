// The two ways in which WebP packs bits, writing side.

/// VP8L's bit stream: the least significant bit of each byte first (RFC 9649, section 3.2).
struct BitWriter {
  private var whole: [UInt8] = []
  private var rest: UInt64 = 0
  private var count = 0

  mutating func put(_ value: Int, _ bits: Int) {
    precondition(bits <= 32 && value >> bits == 0, "a value of more bits than it may have")
    rest |= UInt64(value) << UInt64(count)
    count += bits
    while count >= 8 {
      whole.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
      count -= 8
    }
  }

  /// All bits so far; the last byte is filled up with zero bits.
  var bytes: [UInt8] { count == 0 ? whole : whole + [UInt8(truncatingIfNeeded: rest)] }
}

/// VP8's arithmetic coder (RFC 6386, section 7.3).
///
///     bottom    ├ carry, 1 bit ┼ 8 bits ┼ pending bits ┤    what is not in `whole` yet of the interval's lower end
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

  /// An unsigned number, most significant bit first, at even odds.
  mutating func literal(_ value: Int, _ bits: Int) {
    for shift in (0..<bits).reversed() { put(128, value >> shift & 1 == 1) }
  }

  /// A field behind a flag, absent where `value` is nil: magnitude, then sign.
  mutating func optional(_ value: Int?, _ bits: Int, isSigned: Bool = true) {
    put(128, value != nil)
    guard let value else { return }
    literal(abs(value), bits)
    if isSigned { put(128, value < 0) }
  }

  /// The bools so far, in as few bytes as hold them: whatever bytes follow are more bools.
  var bytes: [UInt8] {
    var last = self
    let padding = (8 - pending % 8) % 8
    last.bottom <<= padding
    last.pending += padding
    last.emit()
    return last.whole + [UInt8(last.bottom)]
  }
}
