extension Raster {
  /// The pixels as an uncompressed VP8L file: no transforms, and prefix codes in which every byte has eight bits.
  func webP() -> [UInt8] {
    var bits = BitWriter(byteCapacity: pixels.count + 64)
    // The image header (RFC 9649, section 3.4): signature, size, alpha_is_used, version.
    bits.append(0x2F, 8)
    bits.append(UInt32(width - 1), 14)
    bits.append(UInt32(height - 1), 14)
    bits.append(1, 1)
    bits.append(0, 3)
    // No transform, no color cache, no entropy image (sections 4, 5.2.3 and 6.2.2).
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

/// Writes bits from the least significant one up.
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

  /// Prefix codes are written from the most significant bit down.
  mutating func appendReversed(_ byte: UInt8) {
    var reversed = byte >> 4 | byte << 4
    reversed = (reversed & 0xCC) >> 2 | (reversed & 0x33) << 2
    append(UInt32((reversed & 0xAA) >> 1 | (reversed & 0x55) << 1), 8)
  }

  /// Writes a code whose symbols 0 to 255 have a length of 8 bits, and others none (section 6.2.1).
  mutating func appendByteCode() {
    append(0, 1)  // not a simple code
    // The code of the code lengths has one symbol, 8, which is the twelfth in the order of the standard and takes no bits.
    append(12 - 4, 4)
    for _ in 0..<11 { append(0, 3) }
    append(1, 3)
    // The number of code lengths: 256, minus 2, in 2 + 2 · 3 bits.
    append(1, 1)
    append(3, 3)
    append(256 - 2, 8)
  }

  /// Writes a simple code with the one symbol 0.
  mutating func appendDistanceCode() {
    append(1, 1)
    append(0, 3)
  }

  mutating func finished() -> [UInt8] {
    if pendingCount > 0 { append(0, 8 - pendingCount) }
    return bytes
  }
}
