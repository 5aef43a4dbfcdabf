import TestComparison
import Testing

@testable import PureWebP

/// Proves that premultiplication and the tables are correct for all values, conversion and upsampling for some.
/// Expected values: the formulas, computed for one pixel at a time.
@Suite struct ColorConversionTests {
  /// For each pair of selected values of U and V, including the extremes, converts one row that has every Y.
  @Test func everyLumaIsConvertedWithSelectedChroma() {
    let chroma = Array(stride(from: 0, through: 255, by: 7)) + [1, 2, 127, 128, 129, 253, 254, 255]
    let luma = ContiguousArray((0..<256).map { UInt8($0) } + [UInt8](repeating: 0, count: 64))
    var output = ContiguousArray<UInt8>(repeating: 0, count: 4 * 256)
    for u in chroma {
      for v in chroma {
        let us = ContiguousArray(repeating: UInt8(u), count: 128 + 64)
        let vs = ContiguousArray(repeating: UInt8(v), count: 128 + 64)
        var pixels = output.mutableSpan
        convertRow(
          luma: luma.span, at: 0, alpha: Span(), at: 0, u: us.span, v: vs.span, at: 0, into: &pixels, at: 0,
          width: 256, order: .rgba)
        let wrong = (0..<256).first { y in
          let (r, g, b) = plainRGB(y, u, v)
          return output[4 * y] != r || output[4 * y + 1] != g || output[4 * y + 2] != b || output[4 * y + 3] != 255
        }
        #expect(wrong == nil, "U \(u), V \(v), Y \(wrong ?? 0)")
      }
    }
  }

  @Test func everyColorIsPremultipliedByEveryAlpha() {
    var rgba: [UInt8] = []
    for c in 0...255 {
      for a in 0...255 { rgba += [UInt8(c), UInt8(255 - c), UInt8(c), UInt8(a)] }
    }
    let source = ContiguousArray(rgba)
    var output = ContiguousArray<UInt8>(repeating: 0, count: source.count)
    var pixels = output.mutableSpan
    packRow(rgba: source.span, at: 0, into: &pixels, at: 0, width: 65536, format: .rgbaPremultiplied)
    expectSame(Array(output), plainPacked(rgba, as: .rgbaPremultiplied))
  }

  /// Covers all combinations of the two lowest bits of four neighboring samples. The upsampling kernel averages in
  /// several steps, each of which could round incorrectly.
  @Test func averagesOfSimilarSamplesAreRounded() {
    var u: [UInt8] = []
    var below: [UInt8] = []
    for a in 0..<4 {
      for b in 0..<4 {
        for c in 0..<4 {
          for d in 0..<4 {
            u += [UInt8(100 + a), UInt8(100 + b)]
            below += [UInt8(100 + c), UInt8(100 + d)]
          }
        }
      }
    }
    let width = 2 * u.count
    let slack = [UInt8](repeating: 0, count: 64)
    let rows = ContiguousArray(u + slack + below + slack)
    let luma = ContiguousArray<UInt8>(repeating: 128, count: width + 64)
    var output = ContiguousArray<UInt8>(repeating: 0, count: 8 * width)
    var pixels = output.mutableSpan
    let same = RowPair(top: 0, bottom: 0)
    upsampleRowPair(
      luma: luma.span, at: same, alpha: Span(), at: same, u: rows.span, v: rows.span,
      at: RowPair(top: 0, bottom: u.count + 64), into: &pixels, at: RowPair(top: 0, bottom: 4 * width), width: width,
      order: .rgba)
    for x in 1..<width - 1 {
      let near = x / 2
      let far = x % 2 == 0 ? near - 1 : near + 1
      for (row, top, bottom) in [(0, u, below), (1, below, u)] {
        let sample =
          (9 * Int(top[near]) + 3 * Int(top[far]) + 3 * Int(bottom[near]) + Int(bottom[far]) + 8) / 16
        let (r, g, b) = plainRGB(128, sample, sample)
        #expect(Array(output[4 * (row * width + x)..<4 * (row * width + x) + 3]) == [r, g, b])
      }
    }
  }

  @Test func gammaTablesFollowTheirFormulas() {
    func rounded(_ value: Double) -> UInt16 { UInt16((value + 0.5).rounded(.down)) }
    #expect(gammaToLinear == (0...255).map { rounded(4095 * power(Double($0) / 255, 0.8)) })
    #expect(linearToGamma == (0...32).map { rounded(255 * power(128 * Double($0) / 4095, 1.25)) })
  }

  /// Computes x to the power of 0.8 or 1.25 with square roots and a fifth root.
  private func power(_ x: Double, _ exponent: Double) -> Double {
    if exponent == 1.25 { return x * x.squareRoot().squareRoot() }
    // Newton's method for the fifth root.
    var root = 1.0
    for _ in 0..<200 { root -= (root - x / (root * root * root * root)) / 5 }
    return root * root * root * root
  }
}
