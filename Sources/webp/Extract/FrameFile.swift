import PureWebP

/// A frame of an animation as a file of its own (RFC 9649, section 2).
///
///     RIFF size WEBP ┬ VP8L or VP8                  a frame without ALPH
///                    └ VP8X, ALPH, VP8              one with it
enum FrameFile {
  static func make(_ frame: WebP.Animation.FrameInfo, of bytes: [UInt8]) -> ContiguousArray<UInt8> {
    var body = ContiguousArray("WEBP".utf8)
    let chunks = bytes[frame.bytes]
    if chunks.starts(with: "ALPH".utf8) {
      body += "VP8X".utf8
      body.append(number: 10, bytes: 4)
      body.append(number: 0x10, bytes: 4)  // alpha
      body.append(number: frame.width - 1, bytes: 3)
      body.append(number: frame.height - 1, bytes: 3)
    }
    body += chunks
    if body.count % 2 == 1 { body.append(0) }
    var file = ContiguousArray("RIFF".utf8)
    file.append(number: body.count, bytes: 4)
    return file + body
  }
}

extension ContiguousArray<UInt8> {
  /// Little-endian.
  fileprivate mutating func append(number: Int, bytes count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
}
