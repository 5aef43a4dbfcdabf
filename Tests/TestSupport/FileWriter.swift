/// Builds WebP files chunk by chunk (RFC 9649, section 2).
package enum FileWriter {
  package static func littleEndian(_ value: Int, bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// - Parameter size: the value of the size field; by default, the payload's size.
  package static func chunk(_ name: String, _ payload: [UInt8], size: Int? = nil) -> [UInt8] {
    Array(name.utf8) + littleEndian(size ?? payload.count, bytes: 4) + payload + (payload.count % 2 == 1 ? [0] : [])
  }

  package static func riff(_ chunks: [UInt8]..., size: Int? = nil) -> [UInt8] {
    let body = Array("WEBP".utf8) + chunks.flatMap { $0 }
    return Array("RIFF".utf8) + littleEndian(size ?? body.count, bytes: 4) + body
  }

  package static func vp8X(flags: UInt8, width: Int, height: Int) -> [UInt8] {
    chunk("VP8X", [flags, 0, 0, 0] + littleEndian(width - 1, bytes: 3) + littleEndian(height - 1, bytes: 3))
  }

  /// Returns the start of a VP8 frame: the header, `partition` zero bytes as the first partition, and `tokens` zero
  /// bytes.
  package static func vp8Frame(width: Int, height: Int, partition: Int = 4, tokens: Int = 4) -> [UInt8] {
    let tag = 1 << 4 | partition << 5
    return littleEndian(tag, bytes: 3) + [0x9D, 0x01, 0x2A] + littleEndian(width, bytes: 2)
      + littleEndian(height, bytes: 2) + [UInt8](repeating: 0, count: partition + tokens)
  }

  /// Returns the header of a VP8L bitstream.
  package static func vp8LHeader(width: Int, height: Int, alpha: Bool = false) -> [UInt8] {
    let bits = (width - 1) | (height - 1) << 14 | (alpha ? 1 << 28 : 0)
    return [0x2F] + littleEndian(bits, bytes: 4)
  }
}
