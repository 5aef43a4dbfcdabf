import Testing

@testable import PureWebP

/// Proves that planes and rows are at the documented offsets.
/// Expected values: offsets computed by hand.
@Suite struct LayoutTests {
  @Test func planesOfOddImagesAreContiguous() throws {
    let layout = try #require(WebP.Layout(format: .yuva, width: 5, height: 3))
    #expect(layout.planes.map(\.offset) == [0, 15, 21, 27])
    #expect(layout.planes.map(\.rowBytes) == [5, 3, 3, 5])
    #expect(layout.byteCount == 15 + 6 + 6 + 15)
  }

  @Test func strideBelowTheRowSizeIsRejected() {
    #expect(WebP.Layout(format: .rgba, width: 10, height: 2, stride: 39) == nil)
    #expect(WebP.Layout(format: .rgba, width: 10, height: 2, stride: 44)?.byteCount == 84)
  }
}
