import ConformanceSupport
import TestSupport
import Testing

@testable import PureWebP

/// Proves that the default limits accept large images that compress to few bytes.
/// Expected values: checksums of libwebp 1.6's output.
@Suite struct LargeImageTests {
  /// The checksums are CRC-32 of the RGBA bytes that libwebp 1.6 decodes.
  @Test func defaultLimitsAcceptOrdinaryImages() throws {
    let images = [
      (try TestFile.bytes("qr-code-6000.webp"), Verdict(status: 0, width: 6000, height: 6000, sum: 0x8473_6ED7)),
      (try TestFile.bytes("blank-page.webp"), Verdict(status: 0, width: 4961, height: 7016, sum: 0x5266_3D0D)),
      (Self.labelMask, Verdict(status: 0, width: 8192, height: 8192, sum: 0xF0ED_626A)),
    ]
    for (file, expected) in images { #expect(Verdict(file) == expected) }
  }

  /// A segmentation mask of 8192 × 8192 pixels: blocks of 64 × 64 pixels, each with one of 62 green values.
  static let labelMask: [UInt8] = {
    let (side, block) = (8192, 64)
    // The green code has 62 labels and two copy lengths, with six bits each. The distance code has two symbols. Each of
    // the other codes has one symbol.
    let lengths = [block - 1, 4096].map { LosslessImageWriter.prefix(of: $0) }
    var green = Array(repeating: 0, count: 280)
    for symbol in Array(0..<62) + lengths.map({ 256 + $0.prefix }) { green[symbol] = 6 }
    func single(_ symbol: Int, of count: Int) -> PlainPrefixCode {
      PlainPrefixCode(lengths: (0..<count).map { $0 == symbol ? 1 : 0 })
    }
    // The distance codes 1 and 2 are the pixels above and to the left (RFC 9649, section 3.6.2.2).
    let distance = PlainPrefixCode(lengths: [1, 1] + Array(repeating: 0, count: 38))
    let group = PlainGroup(
      green: PlainPrefixCode(lengths: green), red: single(0, of: 256), blue: single(0, of: 256),
      alpha: single(255, of: 256), distance: distance)

    var writer = BitWriter()
    writer.write(0, 3)  // no transform, no color cache, no entropy image
    group.write(to: &writer)
    func copy(_ length: (prefix: Int, bits: Int, extra: Int), distance: Int) {
      writer.write(256 + length.prefix, in: group.green)
      writer.write(length.extra, length.bits)
      writer.write(distance, in: group.distance)
    }
    for row in 0..<side / block {
      for column in 0..<side / block {
        writer.write((row * row + 3 * column * column + row * column) % 62, in: group.green)
        copy(lengths[0], distance: 1)
      }
      for _ in 0..<(block - 1) * side / 4096 { copy(lengths[1], distance: 0) }
    }
    let header = FileWriter.vp8LHeader(width: side, height: side)
    return FileWriter.riff(FileWriter.chunk("VP8L", header + Array(writer.bytes)))
  }()
}
