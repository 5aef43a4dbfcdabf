import ConformanceGenerator
import TestComparison
import TestSupport
import Testing
import WebPFormat

@testable import PureWebP

/// Proves that the vectorized blending of rows equals the blending of single pixels.
/// Expected values: the formulas of libwebp in `PlainComposer`.
@Suite struct BlendingTests {
  /// Blends a row that starts at an odd offset, and checks that the bytes around it do not change.
  private func expectEqual(_ layer: [SIMD4<UInt8>], _ canvas: [SIMD4<UInt8>], isPremultiplied: Bool) {
    let plain = PlainComposer(width: 1, height: 1, isPremultiplied: isPremultiplied)
    let expected = zip(layer, canvas).flatMap { pair in
      let pixel = plain.blend(pair.0, over: pair.1)
      return [pixel.x, pixel.y, pixel.z, pixel.w]
    }
    func bytes(_ pixels: [SIMD4<UInt8>]) -> ContiguousArray<UInt8> {
      PixelGrid(width: pixels.count, height: 1, pixels: pixels).bytes
    }
    let source: ContiguousArray = [7, 7, 7] + bytes(layer) + [7]
    var target: ContiguousArray = [9] + bytes(canvas) + [9, 9]
    var span = target.mutableSpan
    drawRow(
      source.span, at: 3, onto: &span, at: 1, width: layer.count, copied: 0..<0, isPremultiplied: isPremultiplied)
    expectSame(Array(target), [9] + expected + [9, 9])
  }

  /// Blends every alpha value over every alpha value, with colors at both ends of the range and between them.
  @Test(arguments: [false, true]) func everyPairOfAlphasIsBlended(isPremultiplied: Bool) {
    var random = SplitMix64(seed: 3)
    for alpha in 0...UInt8.max {
      var (layer, canvas): ([SIMD4<UInt8>], [SIMD4<UInt8>]) = ([], [])
      for below in 0...UInt8.max {
        let limit = isPremultiplied ? alpha : 255
        let colors = [0, limit, limit / 2, UInt8.random(in: 0...limit, using: &random)]
        layer += colors.map { SIMD4($0, limit - $0, $0 / 3, alpha) }
        let limitBelow = isPremultiplied ? below : 255
        let color = UInt8.random(in: 0...limitBelow, using: &random)
        canvas += [limitBelow, 0, color, limitBelow - color].map { SIMD4($0, color, limitBelow - $0, below) }
      }
      expectEqual(layer, canvas, isPremultiplied: isPremultiplied)
    }
  }

  /// Vectors that mix opaque, transparent and translucent pixels, and rows that do not fill their last vector.
  @Test(arguments: [false, true]) func mixedPixelsAreBlendedInRowsOfEveryLength(isPremultiplied: Bool) {
    var random = SplitMix64(seed: 4)
    for _ in 0..<3000 {
      let width = Int.random(in: 1...19, using: &random)
      func row() -> [SIMD4<UInt8>] {
        PixelGrid(width: width, height: 1, using: &random).pixels.map { pixel in
          isPremultiplied ? pixel.replacing(with: pixel.w, where: pixel .> pixel.w) : pixel
        }
      }
      expectEqual(row(), row(), isPremultiplied: isPremultiplied)
    }
  }
}
