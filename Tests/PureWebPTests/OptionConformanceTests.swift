import ConformanceSupport
import PureWebP
import Testing

/// Proves that every option, and every truncated input, gives libwebp's result.
/// Expected values: Conformance/references/options.tsv and incremental.tsv, which libwebp wrote.
@Suite struct OptionConformanceTests {
  @Test func optionsMatchLibwebp() throws {
    let cases = try Conformance.table("options.tsv", of: OptionCase.self)
    #expect(cases.count > 3000)
    #expect(Set(cases.map(\.options.format)) == Set(WebP.PixelFormat.allCases.filter { $0.libwebpName != nil }))
    for reference in cases { try reference.expectNoDifferences() }
  }

  /// Compares the number of finished rows after each number of bytes.
  @Test func incrementalRowsMatchLibwebp() throws {
    let lines = try Conformance.table("incremental.tsv", of: IncrementalRows.self)
    #expect(lines.count > 1000)
    for line in lines { try line.expectNoDifferences() }
  }
}
