import Testing
import WebPFormat

@testable import PureWebP

/// Proves that chroma dithering adds the same noise as libwebp to the same macroblocks.
/// Expected values: noise that libwebp 1.6 added, and amplitudes computed by hand.
@Suite struct DitheringTests {
  /// The noise that libwebp 1.6 adds at strength 100 to U of the first dithered macroblock, with a quantizer index of
  /// 0.
  private static let firstU = [
    -3, 2, -7, 5, 0, -2, -8, 5, -6, 1, -5, -7, 6, -4, -8, 3, 0, 0, 5, -4, 8, -1, -3, -6, 1, 6, 1, 4, -7, -3, 6, 0,
    4, 5, 4, 3, -2, 5, -4, -1, -5, -1, 3, -7, 7, 2, 7, 8, 6, -1, -2, 6, 6, 4, -1, -3, -1, 4, 1, -3, 0, 3, -7, -5,
  ]
  /// The noise for V of the same macroblock.
  private static let firstV = [
    6, -4, 6, -3, 5, 7, -3, 8, -6, 6, -2, 2, -6, -7, -5, 4, 8, -4, 3, -4, -3, 4, 7, -7, -1, -8, -2, 1, 0, 5, 2, 3,
    5, -3, -5, 5, -8, -3, -3, 2, 7, 2, 3, -7, 7, -5, 6, 6, 5, -7, -1, -1, 3, 4, -7, 3, 7, -8, 3, 1, -2, -1, -5, 8,
  ]

  /// Returns the noise in a row of flat macroblocks: 64 samples of U and of V for each macroblock, minus the prediction
  /// of 128.
  private static func noise(
    _ header: FrameHeader, _ macroblocks: [Macroblock], strength: Int = 100
  ) -> (u: [[Int]], v: [[Int]]) {
    var reconstruction = Reconstruction(
      header: header, bypassesLoopFilter: false, usesOneRow: true, ditheringStrength: strength,
      cropColumns: 0..<header.width)
    var row = MacroblockRow(columns: macroblocks.count, deferredRows: reconstruction.schedule.deferredRows)
    row.macroblocks = .init(macroblocks)
    reconstruction.reconstruct(&row, at: 0)
    let output = row.pixels
    func blocks(_ plane: ContiguousArray<UInt8>) -> [[Int]] {
      macroblocks.indices.map { x in
        (0..<64).map { Int(plane[output.chromaStart + x * 8 + $0 / 8 * output.chromaStride + $0 % 8]) - 128 }
      }
    }
    return (blocks(output.u), blocks(output.v))
  }

  private static let none = [Int](repeating: 0, count: 64)

  @Test func noiseMatchesLibwebp() {
    let noise = Self.noise(FrameHeader(width: 16, height: 16), [Macroblock()])
    #expect(noise.u == [Self.firstU])
    #expect(noise.v == [Self.firstV])
  }

  @Test func onlyMacroblocksWithoutACAreDithered() {
    var skipped = Macroblock()
    skipped.isSkipped = true
    var withAC = Macroblock()
    withAC.chromaExtents = BlockExtent.full << 6  // the coefficients are all 0
    let noise = Self.noise(FrameHeader(width: 48, height: 16), [skipped, withAC, Macroblock()])
    #expect(noise.u == [Self.none, Self.none, Self.firstU])
    #expect(noise.v == [Self.none, Self.none, Self.firstV])
  }

  @Test func amplitudesFollowStrengthAndQuantizer() {
    var header = FrameHeader(width: 64, height: 16)
    header.segmentation.isEnabled = true
    header.segmentation.usesAbsoluteValues = false
    header.segmentation.quantizers = [-5, 2, 11, 1]
    header.quantizer.base = 1
    header.quantizer.uvAC = -1  // so the segments' indices are −5, 2, 11 and 1
    let macroblocks = (0..<4).map { segment in
      var macroblock = Macroblock()
      macroblock.segment = UInt8(segment)
      return macroblock
    }
    let strong = Self.noise(header, macroblocks).u
    // The amplitudes of the segments are 255, 191, 31 and 223. The noise is at most half of an amplitude, divided by
    // 16.
    #expect(strong.map { $0.map(abs).max()! <= 8 } == [true, true, true, true])
    #expect(strong[0] == Self.firstU)
    #expect(strong[1].map(abs).max()! <= 6 && strong[1] != Self.none)
    #expect(strong[2].map(abs).max()! <= 1 && strong[2] != Self.none)
    // At a strength of 12, the amplitudes are 30, 22, 3 and 26. Amplitudes below 4 add no noise.
    let weak = Self.noise(header, macroblocks, strength: 12).u
    #expect(weak.map { $0 == Self.none } == [false, false, true, false])
    #expect(weak.joined().allSatisfy { abs($0) <= 1 })
    #expect(Self.noise(header, macroblocks, strength: 0).u.allSatisfy { $0 == Self.none })
  }
}
