internal import WebPFormat

extension WebP.Animation {
  /// A still WebP file with the bitstream of one frame, as `webpmux -get frame` writes it. The frame is not decoded.
  ///
  /// - Throws: If the index is out of range, or the animation is a bare bitstream, which has no chunks.
  public func encodedFrame(at index: Int) throws(WebP.DecodeError) -> [UInt8] {
    guard frames.indices.contains(index) else { throw Self.noSuchFrame }
    guard bytes.starts(with: Self.littleEndian(FourCC.riff.rawValue, bytes: 4)) else {
      throw WebP.DecodeError(.bareBitstream, offset: 0)
    }
    let frame = frames[index]
    let bitstream = bytes[frame.bytes]
    var chunks: [UInt8] = []
    // VP8 with ALPH needs the extended form (RFC 9649, section 2.7); VP8L encodes alpha itself.
    if frame.compression == .lossy, frame.hasAlpha {
      chunks += Self.littleEndian(FourCC.vp8X.rawValue, bytes: 4) + [10, 0, 0, 0, 0x10, 0, 0, 0]
      chunks += Self.littleEndian(UInt32(frame.width - 1), bytes: 3)
      chunks += Self.littleEndian(UInt32(frame.height - 1), bytes: 3)
    }
    chunks += bitstream
    return Self.littleEndian(FourCC.riff.rawValue, bytes: 4)
      + Self.littleEndian(UInt32(clamping: chunks.count + 4), bytes: 4)
      + Self.littleEndian(FourCC.webp.rawValue, bytes: 4) + chunks
  }

  private static func littleEndian(_ number: UInt32, bytes count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
  }
}
