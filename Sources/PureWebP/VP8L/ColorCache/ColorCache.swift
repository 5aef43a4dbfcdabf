// The colour cache (RFC 9649, section 3.6.2.3): the colours seen last, each in the place that its hash names.
//
// Of pixels that came out of the cache none need be entered: they are in it. Of a copy that overlaps what it copies,
// only the last pixels need be, as far back as it copies from: those before are the same ones. And into a cache of two or
// four colours nothing that is copied is entered until something else than a copy follows: then the last pixels do.

struct ColorCache {
  /// Slots, as a power of two: 1 to 11, or 0 for no cache.
  let bits: Int
  /// Pixels, red in the lowest byte, and as many places that nobody looks at.
  var colors: ContiguousArray<UInt32>

  var size: Int { bits == 0 ? 0 : 1 << bits }

  init(bits: Int) {
    self.bits = bits
    colors = ContiguousArray(repeating: 0, count: bits == 0 ? 0 : 2 << bits)
  }

  /// Reads whether there is a cache, and its size.
  init(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(LosslessFault) {
    guard reader.read(1, from: bytes) == 1 else {
      self.init(bits: 0)
      return
    }
    let bits = reader.take(4)
    guard 1...11 ~= bits else { throw LosslessFault(.invalidColorCacheSize) }
    self.init(bits: bits)
  }

  /// Enters the pixels of a copy, or has them wait.
  ///
  /// - Parameters:
  ///   - next: where in the ring the copy ends; may be behind the ring's end.
  ///   - unentered: how many of the last pixels wait for being entered.
  @inline(__always)
  static func enterCopy(
    _ length: Int, distance: Int, before next: Int, of ring: Span<UInt32>, ringSize: Int,
    into colors: inout MutableSpan<UInt32>, bits: Int, unentered: inout Int
  ) {
    if bits > 2 {
      guard distance > 1 else { return }
      insertColors(
        min(length, distance), before: next, of: ring, ringSize: ringSize, into: &colors,
        shift: UInt32(truncatingIfNeeded: 32 &- bits))
    } else if bits > 0 {
      unentered = unentered > 0 ? unentered &+ length : distance > 1 ? min(length, distance) : 0
    }
  }

  /// How many pixels may wait when another copy begins: a ring holds many more.
  static let longestWait = BackwardReference.longest

  /// The slot of a pixel: the highest bits of a product with A R G B, highest byte first.
  @inline(__always)
  static func slot(of pixel: UInt32, shift: UInt32) -> Int {
    let argb = pixel.byteSwapped &>> 8 | pixel.byteSwapped &<< 24
    return Int(truncatingIfNeeded: (0x1E35_A7BD &* argb) &>> shift)
  }
}
