extension Raster {
  /// Returns the pixels as a WebP file with an uncompressed VP8L bitstream. It has no transforms, and all codes of its
  /// prefix codes have eight bits.
  func webP() -> [UInt8] {
    var bits = BitWriter(byteCapacity: pixels.count + 64)
    // The image header (RFC 9649, section 3.4): signature, width, height, alpha_is_used, version.
    bits.append(0x2F, 8)
    bits.append(UInt32(width - 1), 14)
    bits.append(UInt32(height - 1), 14)
    bits.append(1, 1)
    bits.append(0, 3)
    // Three zero bits: no transform, no color cache, no entropy image (sections 3.5, 3.6.2.3 and 3.7.2.2).
    bits.append(0, 3)
    for _ in 0..<4 { bits.appendByteCode() }
    bits.appendDistanceCode()
    for offset in stride(from: 0, to: pixels.count, by: 4) {
      for channel in [1, 0, 2, 3] { bits.appendReversed(pixels[offset + channel]) }
    }
    let payload = bits.finished()
    let padding = [UInt8](repeating: 0, count: payload.count & 1)
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    return Array("RIFF".utf8) + number(12 + payload.count + padding.count) + Array("WEBPVP8L".utf8)
      + number(payload.count) + payload + padding
  }
}

/// Writes bits. The first bit is the least significant bit of the first byte.
private struct BitWriter {
  private var bytes: [UInt8] = []
  private var pending: UInt64 = 0
  private var pendingCount = 0

  init(byteCapacity: Int) {
    bytes.reserveCapacity(byteCapacity)
  }

  mutating func append(_ value: UInt32, _ count: Int) {
    pending |= UInt64(value) << pendingCount
    pendingCount += count
    while pendingCount >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: pending))
      pending >>= 8
      pendingCount -= 8
    }
  }

  /// Writes the code of a byte. The most significant bit of a code is written first.
  mutating func appendReversed(_ byte: UInt8) {
    var reversed = byte >> 4 | byte << 4
    reversed = (reversed & 0xCC) >> 2 | (reversed & 0x33) << 2
    append(UInt32((reversed & 0xAA) >> 1 | (reversed & 0x55) << 1), 8)
  }

  /// Writes a prefix code in which the symbols 0 to 255 have codes of 8 bits, and other symbols have no code (section
  /// 3.7.2.1).
  mutating func appendByteCode() {
    append(0, 1)  // not a simple code
    // The code lengths have a prefix code themselves. Its only symbol is 8, the twelfth in the order of the standard.
    // The only symbol of a prefix code takes no bits.
    append(12 - 4, 4)
    for _ in 0..<11 { append(0, 3) }
    append(1, 3)
    // The number of code lengths is 256. It is stored minus 2, with 2 + 2 · 3 bits.
    append(1, 1)
    append(3, 3)
    append(256 - 2, 8)
  }

  /// Writes a simple prefix code whose only symbol is 0.
  mutating func appendDistanceCode() {
    append(1, 1)
    append(0, 3)
  }

  mutating func finished() -> [UInt8] {
    if pendingCount > 0 { append(0, 8 - pendingCount) }
    return bytes
  }
}
