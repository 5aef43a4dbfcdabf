import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import webp

/// Proves that each limit of the decoder is documented, and that its option sets it.
/// Expected values: the table in Documentation/Limits.md.
@Suite struct LimitOptionTests {
  /// The properties of `WebP.Limits` in the table, and their options. The option is nil for a dash.
  private static func table() throws -> [String: String?] {
    let text = try String(contentsOf: TestFile.root.appendingPathComponent("Documentation/Limits.md"), encoding: .utf8)
    let cells = text.split(separator: "\n").map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "` ")) }
    }
    let rows = cells.filter { $0.count == 4 && ($0[2].hasPrefix("maximum") || $0[2].hasPrefix("unrestricted")) }
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[2], $0[3].hasPrefix("--") ? $0[3] : nil) })
  }

  @Test func everyLimitIsInTheTable() throws {
    let (documented, limits) = (Set(try Self.table().keys), Set(numbers(of: WebP.Limits()).keys))
    #expect(limits.count >= 7)
    #expect(limits.subtracting(documented).isEmpty, "Documentation/Limits.md has no row for these properties")
    #expect(documented.subtracting(limits).isEmpty, "Documentation/Limits.md has rows for unknown properties")
  }

  @Test func optionsSetTheirLimits() throws {
    for case (let name, let option?) in try Self.table() {
      let limits = numbers(of: try ResourceOptions.parse([option, "12"]).limits)
      #expect(limits[name] == 12, "ResourceOptions.limits, \(option)")
    }
  }
}
