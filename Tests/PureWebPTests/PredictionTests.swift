import ConformanceGenerator
import TestComparison
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that predictors equal the definitions in RFC 6386, section 12.
/// Expected values: `PlainVP8.predict`, which is written from the RFC. `WorkedExampleTests` explains a predictor.
@Suite struct PredictionTests {
  private static let modes: [MacroblockMode] = [.dc, .vertical, .horizontal, .trueMotion]
  private static let subblockModes = (0...9).map { SubblockMode(rawValue: $0)! }

  /// Random pixels. In every third trial, all of them are 0 or 255.
  private static func pixels(_ count: Int, _ trial: Int, _ numbers: inout SplitMix64) -> [UInt8] {
    (0..<count).map { _ in
      trial % 3 == 0 ? (Bool.random(using: &numbers) ? 255 : 0) : UInt8.random(in: 0...255, using: &numbers)
    }
  }

  @Test(arguments: subblockModes) func subblockPredictionsMatchTheReference(_ mode: SubblockMode) {
    var numbers = SplitMix64(seed: UInt64(mode.rawValue))
    for trial in 0..<1_000 {
      let above = Self.pixels(8, trial, &numbers)
      let left = Self.pixels(4, trial, &numbers)
      let corner = Self.pixels(1, trial, &numbers)[0]
      let edge = SubblockEdge(
        left: SIMD4(left.map(UInt32.init)), corner: corner,
        above: above.reversed().reduce(0) { (bits: UInt64, sample: UInt8) in bits << 8 | UInt64(sample) })
      let block = predictSubblock(mode, edge)
      let result = (0..<16).map { (index: Int) in index < 8 ? block.rows01[index] : block.rows23[index - 8] }
      let expected = PlainVP8.predict(mode, above: above, left: left, corner: corner)
      expectSame(result, expected.map(Int16.init), "\(mode) \(above) \(left) \(corner)")
    }
  }

  @Test(arguments: modes, [8, 16]) func macroblockPredictionsMatchTheReference(_ mode: MacroblockMode, _ size: Int) {
    var numbers = SplitMix64(seed: UInt64(mode.rawValue) + 100)
    let stride = size + 5
    for trial in 0..<1_000 {
      let neighbors = Neighbors(hasLeft: trial & 1 != 0, hasAbove: trial & 2 != 0)
      let above = Self.pixels(size + 1, trial, &numbers)  // the corner first
      let before = Self.pixels(stride * size, trial, &numbers)
      var plane = before
      unsafe above.withUnsafeBytes { above in
        unsafe plane.withUnsafeMutableBytes { plane in
          let (above, plane) = unsafe (above.baseAddress! + 1, plane.baseAddress! + 1)
          if size == 16 {
            unsafe predictLuma(mode, plane, stride: stride, above: above, neighbors)
          } else {
            unsafe predictChroma(mode, plane, stride: stride, above: above, neighbors)
          }
        }
      }
      let block = PlainVP8.predict(
        mode, size: size, above: Array(above.dropFirst()), left: (0..<size).map { before[$0 * stride] },
        corner: above[0], hasAbove: neighbors.hasAbove, hasLeft: neighbors.hasLeft)
      var expected = before
      for y in 0..<size { for x in 0..<size { expected[y * stride + x + 1] = block[y * size + x] } }
      expectSame(plane, expected)
    }
  }
}
