import ConformanceSupport
import PureWebP
import Testing

/// Proves that truncated files give libwebp's result at every length.
/// Expected values: Conformance/references/prefixes.tsv, which libwebp wrote.
@Suite struct PrefixTests {
  @Test(arguments: [false, true]) func truncatedVectorsMatchLibwebp(adaptsSizes: Bool) throws {
    let lines = try Conformance.table("prefixes.tsv", of: TruncationCases.self)
      .filter { $0.haveAdaptedSizes == adaptsSizes }
    #expect(lines.count > 400)
    for line in lines { try line.expectNoDifferences() }
  }

  @Test func headersDoNotChangeOnceAvailable() throws {
    for name in ["riff-everything.webp", "riff-lossless.webp", "bare-vp8.webp", "animation-lossy-alpha.webp"] {
      let file = try Conformance.vector(name)
      let whole = try WebP.info(file)
      for length in 0...file.count {
        guard let info = try? WebP.info(file[..<length]) else { continue }
        #expect((info.width, info.height) == (whole.width, whole.height), "\(name), \(length) bytes")
        _ = WebP.metadata(file[..<length])
      }
    }
  }
}
