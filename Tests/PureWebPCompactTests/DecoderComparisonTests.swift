import ConformanceGenerator
import ConformanceSupport
import Foundation
import TestComparison
import Testing

/// Proves that the two decoders give the same pixels and reject the same files.
/// Expected values: `PureWebP`, which shares the headers with the compact decoder, but no decoding of pixels.
@Suite struct DecoderComparisonTests {
  @Test(arguments: ["vp8-", "vp8l-", "alpha-", "riff-", "bare-", "animation-", "encoder-", "options-", "attack-"])
  func vectorsDecodeEqually(family: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Conformance.vectors.path).filter {
      $0.hasPrefix(family) && $0.hasSuffix(".webp")
    }
    #expect(names.count > 10)
    for name in names.sorted() { compare(try Conformance.vector(name), name) }
  }

  @Test(arguments: 0..<4) func generatedFilesDecodeEqually(part: Int) {
    for seed in part * 500..<(part + 1) * 500 {
      var choices = Choices(seed: UInt64(seed))
      compare(choices.file(), "generated file, seed \(seed)")
    }
  }

  @Test(arguments: 0..<4) func corruptedFilesDecodeEqually(part: Int) {
    for seed in part * 500..<(part + 1) * 500 {
      var choices = Choices(seed: UInt64(seed))
      compare(Damage.number(seed, of: choices.file()), "corrupted file, seed \(seed)")
    }
  }

  private func compare(_ file: [UInt8], _ name: String) {
    expectNone(DecodedFile(fast: file).firstDifference(from: DecodedFile(compact: file)), name)
  }
}
