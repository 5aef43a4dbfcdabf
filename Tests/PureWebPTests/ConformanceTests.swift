import ConformanceSupport
import Foundation
import PureWebP
import Testing

/// Proves that the decoder accepts or rejects every vector as libwebp does, and decodes the same pixels.
/// Expected values: Conformance/references/vectors.tsv, which libwebp wrote.
@Suite struct ConformanceTests {
  @Test(arguments: try Conformance.table("vectors.tsv", of: Reference.self))
  func vectorsMatchLibwebp(reference: Reference) throws {
    try reference.expectNoDifferences()
  }

  @Test func everyVectorHasAReference() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Conformance.vectors.path)
    let known = try Conformance.table("vectors.tsv", of: Reference.self).map(\.file)
    #expect(known.sorted() == files.filter { $0.hasSuffix(".webp") }.sorted())
    for family in ["vp8-", "vp8l-", "alpha-", "riff-", "bare-", "animation-", "encoder-", "options-", "attack-"] {
      #expect(known.count { $0.hasPrefix(family) } > 10)
    }
  }

  @Test(.enabled(if: Conformance.testData != nil, "libwebp-test-data was not found")) func testDataMatchesLibwebp()
    throws
  {
    let folder = try #require(Conformance.testData)
    for reference in try Conformance.table("libwebp-test-data.tsv", of: Reference.self) {
      let file = try Conformance.read(folder.appendingPathComponent(reference.file))
      let differences = reference.differences(of: file)
      #expect(differences.isEmpty, "\(reference.file)")
    }
  }
}
