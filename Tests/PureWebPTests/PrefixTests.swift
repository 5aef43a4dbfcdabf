import ConformanceSupport
import PureWebP
import Testing

/// Files that end too early: an error or libwebp's answer, for every length.
@Suite struct PrefixTests {
  @Test(arguments: [false, true]) func everyBeginningOfSmallVectors(mended: Bool) throws {
    let lines = try Conformance.table("prefixes.tsv", of: Cuts.self).filter { $0.areMended == mended }
    #expect(lines.count > 400)
    for line in lines { try line.expectNoDifferences() }
  }

  @Test func headersOfEveryBeginning() throws {
    for name in ["riff-everything.webp", "riff-lossless.webp", "bare-vp8.webp", "animation-lossy-alpha.webp"] {
      let file = try Conformance.vector(name)
      let whole = try WebP.info(file)
      for length in 0...file.count {
        // Either there is not enough for an answer, or the answer is there and does not change any more.
        guard let info = try? WebP.info(file[..<length]) else { continue }
        #expect((info.width, info.height) == (whole.width, whole.height), "\(name), \(length) bytes")
        _ = WebP.metadata(file[..<length])
      }
    }
  }
}
