import PureWebP
import TestComparison
import Testing

/// Proves that a comparison names the first difference, and that a test reports only one.
/// Expected values: positions counted by hand.
@Suite struct ExpectSameTests {
  @Test func equalValuesHaveNoDifference() {
    #expect(firstDifference([1, 2, 3], [1, 2, 3]) == nil)
    #expect(firstDifference(Int?.none as Any, Int?.none as Any) == nil)
  }

  @Test func firstDifferenceIsNamed() {
    #expect(firstDifference([1, 2, 3, 4], [1, 9, 8, 4]) == "[1]: 2, expected 9")
    #expect(firstDifference([1, 2], [1, 2, 3]) == "2 elements, expected 3")
    #expect(firstDifference([[0], [0, 5]], [[0], [0, 6]]) == "[1][1]: 5, expected 6")
  }

  @Test func pixelsHaveCoordinates() throws {
    func image(_ value: UInt8) throws -> WebP.Image {
      var pixels = [UInt8](repeating: 0, count: 2 * 3 * 4)
      pixels[1 * 8 + 1 * 4 + 2] = value
      return try #require(WebP.Image(width: 2, height: 3, format: .rgba, pixels: pixels))
    }
    let expected = ".pixels[14] (x 1, y 1, channel 2): 7, expected 8"
    #expect(firstDifference(try image(7), try image(8)) == expected)
    #expect(firstDifference([try image(0), try image(7)], [try image(0), try image(8)]) == "[1]" + expected)
    let rows = (Array(try image(7).pixels), Array(try image(8).pixels))
    #expect(
      firstDifference(rows.0, rows.1, rgbaWidth: 2) == "[14] (x 1, y 1, channel 2): 7, expected 8")
  }

  @Test func testReportsOneDifference() {
    let failures = FirstFailures()
    #expect((0..<3).map { _ in failures.isFirst(in: Test.current?.id) } == [true, false, false])
    #expect(failures.isFirst(in: nil) && failures.isFirst(in: nil))
  }
}
