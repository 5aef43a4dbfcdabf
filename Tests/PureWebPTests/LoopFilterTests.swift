import ConformanceGenerator
import TestComparison
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that filter strengths and the vectorized loop filters equal RFC 6386, section 15.
/// Expected values: `PlainVP8.Limits`, and `PlainVP8.filter`, which filters one position at a time.
@Suite struct LoopFilterTests {
  /// Pixels across an edge at sixteen positions, from rough to nearly flat, so that each condition of the filters is
  /// true for some and false for others.
  private static func edge(_ numbers: inout SplitMix64) -> [[UInt8]] {
    (0..<16).map { _ in
      let spread = [255, 60, 20, 8, 4, 2, 1].randomElement(using: &numbers)!
      let base = [0, 255, Int.random(in: 0...255, using: &numbers)].randomElement(using: &numbers)!
      let step = [0, Int.random(in: -60...60, using: &numbers)].randomElement(using: &numbers)!
      return (0..<8).map {
        PlainVP8.clip(base + ($0 < 4 ? 0 : step) + Int.random(in: -spread...spread, using: &numbers))
      }
    }
  }

  private static func vectors(_ edge: [[UInt8]]) -> [Bytes] { (0..<8).map { i in Bytes(edge.map { $0[i] }) } }

  private static func run(_ kind: PlainVP8.Filter, _ v: inout [Bytes], _ limits: EdgeLimits) {
    var (p2, p1, p0, q0, q1, q2) = (v[1], v[2], v[3], v[4], v[5], v[6])
    switch kind {
    case .simple: filterSimply(p1, &p0, &q0, q1, limits)
    case .inner: filterSubblockEdge(v[0], p2, &p1, &p0, &q0, &q1, q2, v[7], limits)
    case .outer: filterMacroblockEdge(v[0], &p2, &p1, &p0, &q0, &q1, &q2, v[7], limits)
    }
    v = [v[0], p2, p1, p0, q0, q1, q2, v[7]]
  }

  @Test(arguments: [PlainVP8.Filter.simple, .inner, .outer]) func everyFilterStrengthMatchesTheReference(
    _ kind: PlainVP8.Filter
  ) {
    var numbers = SplitMix64(seed: 11)
    for level in 1...63 {
      for sharpness in 0...7 {
        let strength = FilterStrength(level: Int32(level), sharpness: Int32(sharpness))
        let expected = PlainVP8.Limits(level: level, sharpness: sharpness)
        expectSame(
          [strength.edgeLimit, strength.interiorLimit, strength.highVarianceThreshold].map(Int.init),
          [2 * level + expected.interior, expected.interior, expected.highVariance],
          "FilterStrength (edge, interior, high variance) of level \(level), sharpness \(sharpness)")
        for isMacroblockEdge in [false, true] {
          let limits = EdgeLimits(strength, margin: isMacroblockEdge ? 4 : 0)
          for _ in 0..<4 {
            let edge = Self.edge(&numbers)
            var vectors = Self.vectors(edge)
            Self.run(kind, &vectors, limits)
            let filtered = edge.map {
              PlainVP8.filter(
                kind, $0, edge: expected.edge(kind, isMacroblockEdge: isMacroblockEdge), interior: expected.interior,
                highVariance: expected.highVariance)
            }
            expectSame(vectors, Self.vectors(filtered), "level \(level), sharpness \(sharpness)")
          }
        }
      }
    }
  }

  /// Covers all differences between the two pixels at the edge. The simple filter and the high-variance case use these
  /// pixels and their neighbors.
  @Test func everyDifferenceAtTheEdgeMatchesTheReference() {
    let strength = FilterStrength(level: 63, sharpness: 0)
    let limits = EdgeLimits(strength, margin: 4)
    for p0 in stride(from: 0, through: 255, by: 15) {
      for q0 in 0...255 {
        let edge = (0..<16).map { lane -> [UInt8] in
          let (p1, q1) = (PlainVP8.clip(p0 + lane * 5 - 40), PlainVP8.clip(q0 + 40 - lane * 7))
          return [p1, p1, p1, UInt8(p0), UInt8(q0), q1, q1, q1]
        }
        for kind in [PlainVP8.Filter.simple, .inner, .outer] {
          var vectors = Self.vectors(edge)
          Self.run(kind, &vectors, limits)
          let filtered = edge.map { PlainVP8.filter(kind, $0, edge: 193, interior: 63, highVariance: 2) }
          expectSame(vectors, Self.vectors(filtered))
        }
      }
    }
  }

  @Test func levelsDependOnSegmentsAndModes() {
    var header = FrameHeader(width: 16, height: 16)
    #expect(LoopFilter(header) == nil)
    header.filter.level = 20
    header.segmentation.isEnabled = true
    header.segmentation.usesAbsoluteValues = false
    header.segmentation.filterLevels = [0, 50, -30, -5]
    header.filter.usesDeltas = true
    header.filter.referenceDeltas = [2, 60, 60, 60]
    header.filter.modeDeltas = [-10, 60, 60, 60]
    let filter = LoopFilter(header)!
    func edgeLimit(_ segment: UInt8, _ usesSubblockModes: Bool) -> UInt8 {
      var macroblock = Macroblock()
      macroblock.segment = segment
      macroblock.usesSubblockModes = usesSubblockModes
      return filter.strength(of: macroblock).edgeLimit
    }
    // With a sharpness of 0, the edge limit is three times the level. Without subblock modes, the levels of the
    // segments are 22, 63 (clamped from 72), 0 and 17. With subblock modes, they are 12, 62, 0 and 7.
    #expect((0..<4).map { edgeLimit($0, false) } == [66, 189, 0, 51])
    #expect((0..<4).map { edgeLimit($0, true) } == [36, 186, 0, 21])
  }

  /// Loads columns, compares them, and stores them in reverse order.
  @Test(arguments: [4, 8, 16]) func columnsAreRowsTransposed(_ count: Int) {
    var numbers = SplitMix64(seed: 12)
    let stride = 21
    let before = (0..<16 * stride).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    let columns = (0..<count).map { x in Bytes((0..<16).map { before[$0 * stride + 2 + x] }) }
    var plane = before
    unsafe plane.withUnsafeMutableBytes { plane in
      let (upper, lower) = unsafe (plane.baseAddress! + 2, plane.baseAddress! + 2 + 8 * stride)
      switch count {
      case 4:
        let c = unsafe loadEightColumns(upper, lower, stride: stride)
        unsafe storeFourColumns((c.3, c.2, c.1, c.0), upper, lower, stride: stride)
      case 8:
        let c = unsafe loadEightColumns(upper, lower, stride: stride)
        #expect(list(c) == columns)
        unsafe storeEightColumns(reversed(c), upper, lower, stride: stride)
      default:
        let (left, right) = unsafe loadSixteenColumns(upper, stride: stride)
        #expect(list(left) + list(right) == columns)
        unsafe storeSixteenColumns(reversed(right), reversed(left), upper, stride: stride)
      }
    }
    var expected = before
    for y in 0..<16 {
      for x in 0..<count { expected[y * stride + 2 + x] = before[y * stride + 1 + count - x] }
    }
    expectSame(plane, expected)
  }

  private func list(_ c: EightColumns) -> [Bytes] { [c.0, c.1, c.2, c.3, c.4, c.5, c.6, c.7] }

  private func reversed(_ c: EightColumns) -> EightColumns { (c.7, c.6, c.5, c.4, c.3, c.2, c.1, c.0) }
}
