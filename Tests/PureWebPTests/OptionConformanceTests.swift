import ConformanceSupport
import PureWebP
import Testing

/// Options and beginnings of vectors against what libwebp makes of them (Conformance/references).
@Suite struct OptionConformanceTests {
  @Test func everyLayoutCropSizeAndStrengthAgreesWithLibwebp() throws {
    let cases = try Conformance.table("options.tsv", of: OptionCase.self)
    #expect(cases.count > 3000)
    #expect(Set(cases.map(\.options.format)) == Set(WebP.PixelFormat.allCases))
    for reference in cases { try reference.expectNoDifferences() }
  }

  /// What the incremental decoder shows after each number of bytes.
  @Test func rowsOfEveryBeginningAreThoseThatLibwebpShows() throws {
    let lines = try Conformance.table("incremental.tsv", of: IncrementalRows.self)
    #expect(lines.count > 1000)
    for line in lines { try line.expectNoDifferences() }
  }
}
