import ConformanceGenerator
import WebPExport

/// Seeded corruption of files. `Conformance/make/damage.py` produces the same bytes.
public enum Damage {
  /// Returns variant `number` of the corruptions of `file`.
  ///
  /// Bytes are flipped, replaced, truncated, removed, inserted, or copied from another position. In most cases the
  /// sizes in the headers are adapted afterwards, so that the decoder does not reject the file because of its sizes.
  public static func number(_ number: Int, of file: [UInt8]) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(crc32(ContiguousArray(file).span)) << 32 | UInt64(number))
    var out = file
    // Bytes after the first chunk header are changed more often than bytes before it.
    let start = file.count > 20 && random.below(8) != 0 ? 20 : 0
    let kind = random.below(8)
    guard !file.isEmpty else { return [] }

    func place() -> Int { start + random.below(file.count - start) }
    switch kind {
    case 0, 1:
      let at = place()
      out[at] ^= 1 << UInt8(random.below(8))
    case 2:
      let at = place()
      out[at] = UInt8(random.below(256))
    case 3:
      for _ in 0..<2 + random.below(8) {
        let at = place()
        out[at] = UInt8(random.below(256))
      }
    case 4:
      out.removeSubrange(place()...)
    case 5:
      let at = place()
      out.removeSubrange(at..<min(at + 1 + random.below(8), out.count))
    case 6:
      let at = place()
      let count = 1 + random.below(8)
      out.insert(contentsOf: (0..<count).map { _ in UInt8(random.below(256)) }, at: at)
    default:
      let source = place()
      let target = place()
      let piece = out[source..<min(source + 1 + random.below(16), out.count)]
      out.replaceSubrange(target..<min(target + piece.count, out.count), with: piece)
    }
    return random.below(8) != 0 ? withAdaptedSizes(out) : out
  }

  /// Returns the file with sizes that fit its length, in the RIFF header and in an image chunk directly after it.
  public static func withAdaptedSizes(_ file: [UInt8]) -> [UInt8] {
    guard file.count >= 20, file[0..<4].elementsEqual("RIFF".utf8) else { return file }
    var out = file
    func write(_ size: Int, at offset: Int) {
      for byte in 0..<4 { out[offset + byte] = UInt8(truncatingIfNeeded: size >> (8 * byte)) }
    }
    write(file.count - 8, at: 4)
    if file[12..<16].elementsEqual("VP8 ".utf8) || file[12..<16].elementsEqual("VP8L".utf8) {
      write(file.count - 20, at: 16)
    }
    return out
  }
}
