// The color cache (RFC 9649, section 3.6.2.3): recent colors, each in the slot that its hash selects.
//
// Three rules reduce the number of insertions. A pixel that was read from the cache is already in it. If a copy
// overlaps its source, it repeats `distance` pixels, so only the last `distance` pixels are inserted. With two or four
// slots, insertions are deferred until a symbol other than a copy follows. Then only the last pixel of each slot is
// inserted.

internal import WebPFormat

struct ColorCache {
  /// The binary logarithm of the number of slots: 1 to 11, or 0 for no cache.
  let sizeBits: Int
  /// The pixels in the slots, with red in the lowest byte, followed by the same number of dummy slots. Only
  /// `PixelRing.unpack` uses the dummy slots.
  var colors: ContiguousArray<UInt32>

  var size: Int { sizeBits == 0 ? 0 : 1 << sizeBits }

  init(sizeBits: Int) {
    self.sizeBits = sizeBits
    colors = ContiguousArray(filledWith: 0, count: sizeBits == 0 ? 0 : 2 << sizeBits)
  }

  /// Reads the size of the cache, which may be none.
  init(_ reader: inout BitReader, _ bytes: Span<UInt8>) throws(ErrorCause) {
    guard reader.read(1, from: bytes) == 1 else {
      self.init(sizeBits: 0)
      return
    }
    let sizeBits = reader.take(4)
    guard 1...11 ~= sizeBits else { throw ErrorCause.invalidColorCacheSize }
    self.init(sizeBits: sizeBits)
  }

  /// Inserts the pixels of a copy, or defers the insertion.
  ///
  /// - Parameters:
  ///   - next: the index in the ring of the end of the copy. It may be past the end of the ring.
  ///   - pendingInsertions: the number of most recent pixels whose insertion is deferred.
  @inline(__always)
  static func insertCopy(
    _ length: Int, distance: Int, before next: Int, of ring: Span<UInt32>, ringSize: Int,
    into colors: inout MutableSpan<UInt32>, sizeBits: Int, pendingInsertions: inout Int
  ) {
    if sizeBits > 2 {
      guard distance > 1 else { return }
      insertColors(
        min(length, distance), before: next, of: ring, ringSize: ringSize, into: &colors,
        shift: UInt32(truncatingIfNeeded: 32 &- sizeBits))
    } else if sizeBits > 0 {
      pendingInsertions = pendingInsertions > 0 ? pendingInsertions &+ length : distance > 1 ? min(length, distance) : 0
    }
  }

  /// If more pixels than this are deferred, they are inserted before the next copy. The ring stores many more pixels.
  static let pendingInsertionLimit = BackwardReference.longest

  /// The slot of a pixel: the highest bits of the product of a constant and the pixel as A R G B, A in the highest
  /// byte.
  @inline(__always)
  static func slot(of pixel: UInt32, shift: UInt32) -> Int {
    let argb = pixel.byteSwapped &>> 8 | pixel.byteSwapped &<< 24
    return Int(truncatingIfNeeded: (0x1E35_A7BD &* argb) &>> shift)
  }
}
