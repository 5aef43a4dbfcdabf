import ConformanceGenerator
import ConformanceSupport
import PureWebP
import Testing

/// Proves that corrupt files are accepted or rejected as libwebp does, with the same pixels.
/// Expected values: Conformance/references/damage.tsv for seeded corruptions of every vector.
@Suite struct DamageTests {
  @Test func corruptVectorsMatchLibwebp() throws {
    let lines = try Conformance.table("damage.tsv", of: DamageCases.self)
    #expect(lines.reduce(0) { $0 + $1.verdicts.count } >= 2000)
    for line in lines { try line.expectNoDifferences() }
  }

  /// FourCCs that end with a space are shown without it.
  @Test func descriptionsNameThePosition() throws {
    let stream = try Conformance.vector("encoder-cwebp-q75.webp").dropFirst(20)  // its VP8 chunk
    let error = try #require(#expect(throws: WebP.DecodeError.self) { try WebP.decode(stream.prefix(400)) })
    #expect(error.chunk == .vp8 && error.description == "truncated: \(error.detail) (VP8 at byte 400)")
  }

  /// Compares with the published test values of SplitMix64. The corruptions, and thus the references, depend on this
  /// generator.
  @Test func generatorMatchesItsPublishedValues() throws {
    var random = SplitMix64(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  /// No corrupt file makes the decoder trap or exceed the limits, in any format.
  @Test func verdictsOnCorruptFilesDoNotDependOnTheFormat() throws {
    for name in ["encoder-pillow-lossy-alpha.webp", "encoder-cwebp-lossless-z9-alpha.webp", "riff-everything.webp"] {
      let file = try Conformance.vector(name)
      for number in 0..<60 {
        let damaged = Damage.number(number, of: file)
        let accepted = WebP.PixelFormat.allCases.map { format in
          var options = WebP.DecodeOptions.damaged
          options.format = format
          return Verdict(damaged, options: options).status
        }
        #expect(Set(accepted).count == 1, "\(name), damage \(number): verdicts \(accepted) depend on the format")
      }
    }
  }
}
