import ConformanceGenerator
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that the vectorized lossless kernels equal the definitions in RFC 9649.
/// Expected values: `PlainTransform` and loops over single pixels.
@Suite struct LosslessKernelTests {
  /// Pixels, many of them equal, with channels at both ends of their range.
  private func pixels(_ count: Int, _ random: inout SplitMix64) -> ContiguousArray<UInt32> {
    var pixels: ContiguousArray<UInt32> = []
    while pixels.count < count {
      let kind = Int.random(in: 0..<4, using: &random)
      let pixel = UInt32.random(in: 0...UInt32.max, using: &random)
      let edges = (0..<4).reduce(0 as UInt32) { sum, _ in
        sum << 8 | [0, 1, 127, 128, 254, 255].randomElement(using: &random)!
      }
      let run = kind == 0 ? Int.random(in: 1...20, using: &random) : 1
      for _ in 0..<run { pixels.append(kind == 1 ? edges : kind == 2 ? 0 : pixel) }
    }
    return ContiguousArray(pixels.prefix(count))
  }

  @Test func overlappingCopiesRepeatTheirSource() throws {
    var random = SplitMix64(seed: 1)
    let ringSize = 300
    let slack = PixelRing.slack
    for _ in 0..<1000 {
      let ring = pixels(ringSize + slack, &random)
      let position = Int.random(in: 0..<ringSize, using: &random)
      let distance = Int.random(in: 1...(Bool.random(using: &random) ? 6 : ringSize), using: &random)
      let length = Int.random(in: 1...(Bool.random(using: &random) ? 9 : 250), using: &random)
      // The function requires that a copy across the end of the ring does not overlap its source. A decoder's ring is
      // large enough for that.
      if position - distance < 0, ringSize - distance < length + slack { continue }
      var expected = ring
      for index in position..<position + length {
        expected[index % ringSize] = expected[(index - distance + ringSize) % ringSize]
      }
      var copied = ring
      var span = copied.mutableSpan
      span.copyPixels(length, distance: distance, to: position, ringSize: ringSize)
      // Only the slack after the copy may have been changed.
      for index in 0..<slack {
        expected[(position + length + index) % ringSize] = copied[(position + length + index) % ringSize]
      }
      let isEqual = copied.prefix(ringSize) == expected.prefix(ringSize)
      try #require(isEqual, "\(length) from \(distance) before \(position)")
    }
  }

  @Test(arguments: [1, 4, 11])
  func colorsAreInsertedInOrder(bits: Int) {
    var random = SplitMix64(seed: UInt64(bits))
    let ringSize = 500
    for (start, count) in [(3, 1), (3, 7), (0, 8), (3, 9), (3, 400), (497, 2), (497, 3), (497, 4), (450, 300)] {
      let ring = pixels(ringSize + PixelRing.slack, &random)
      var expected = ContiguousArray<UInt32>(repeating: 0, count: 1 << bits)
      for position in start..<start + count {
        let pixel = ring[position % ringSize]
        let (r, g, b, a) = (pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24)
        expected[Int(0x1E35_A7BD as UInt32 &* (a << 24 | r << 16 | g << 8 | b)) >> (32 - bits)] = pixel
      }
      var cache = ContiguousArray<UInt32>(repeating: 0, count: 1 << bits)
      var colors = cache.mutableSpan
      insertColors(
        count, before: start + count, of: ring.span, ringSize: ringSize, into: &colors, shift: UInt32(32 - bits))
      expectSame(cache, expected)
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 100])
  func greenIsAdded(width: Int) {
    var random = SplitMix64(seed: UInt64(width))
    let source = pixels(width + 2, &random)
    var target = ContiguousArray<UInt8>(repeating: 9, count: 4 * width + 3)
    var span = target.mutableSpan
    span.withRawSpan { addGreen(width, from: source.span, at: 2, to: &$0, at: 1) }
    expectRow(target, 1, PlainTransform.subtractGreen.undone(Array(source[2...]), width: width, height: 1))
  }

  @Test(arguments: [1, 3, 4, 5, 16, 17, 40, 100])
  func colorsAreAdded(width: Int) {
    var random = SplitMix64(seed: UInt64(width))
    for blockBits in 2...5 {
      let source = pixels(width + 2, &random)
      let elements = pixels(PlainTransform.blocks(width, blockBits), &random)
      var target = ContiguousArray<UInt8>(repeating: 9, count: 4 * width + 3)
      var span = target.mutableSpan
      span.withRawSpan {
        addColors(width, from: source.span, at: 2, to: &$0, at: 1, elements: elements.span, blockBits: blockBits)
      }
      let plain = PlainTransform.color(elements: Array(elements), blockBits: blockBits)
      expectRow(target, 1, plain.undone(Array(source[2...]), width: width, height: 1))
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 16, 17, 200, 256])
  func colorsAreLookedUp(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    let table = pixels(count, &random)
    var differences = table
    for index in table.indices.dropFirst() {
      differences[index] = PlainTransform.pixel(
        PlainTransform.channels(table[index]) &- PlainTransform.channels(table[index - 1]))
    }
    let palette = Palette(differences)
    for width in [1, 2, 7, 8, 9, 31, 64, 65] {
      let plain = PlainTransform.colorIndexing(table: Array(table))
      var source = pixels(plain.codedWidth(width) + 2, &random)
      if width > 31 { for index in 4..<source.count { source[index] = source[3] } }
      var target = ContiguousArray<UInt8>(repeating: 9, count: 4 * width + 3)
      var span = target.mutableSpan
      let (colors, widthBits) = (palette.colors, palette.widthBits)
      span.withRawSpan {
        mapColors(width, from: source.span, at: 2, to: &$0, at: 1, colors: colors.span, widthBits: widthBits)
      }
      expectRow(target, 1, plain.undone(Array(source[2...]), width: width, height: 1))
    }
  }

  /// Compares the pixels with the bytes, and checks that the bytes around them are unchanged.
  private func expectRow(_ bytes: ContiguousArray<UInt8>, _ offset: Int, _ pixels: [UInt32]) {
    let expected = pixels.flatMap { pixel in (0..<4).map { UInt8(PlainTransform.channels(pixel)[$0]) } }
    expectSame(Array(bytes[offset..<offset + expected.count]), expected)
    #expect(bytes[..<offset].allSatisfy { $0 == 9 } && bytes[(offset + expected.count)...].allSatisfy { $0 == 9 })
  }

  /// Tests every mode alone, random modes, and flat images, in batches of rows that begin at any row of a block.
  @Test(arguments: [1, 2, 9, 32, 33, 75])
  func predictionsAreAdded(width: Int) {
    var random = SplitMix64(seed: UInt64(width))
    let height = 22
    for round in 0..<24 {
      for blockBits in [2, 3, 4, 5] {
        let blocks = PlainTransform.blocks(width, blockBits) * PlainTransform.blocks(height, blockBits)
        let modes = (0..<blocks).map { _ in
          round < 16
            ? round : round < 22 ? Int.random(in: 0...15, using: &random) : [1, 11, 12].randomElement(using: &random)!
        }
        var residuals = pixels(width * height, &random)
        if round == 11 || round == 23 { for index in residuals.indices where index % 97 != 0 { residuals[index] = 0 } }
        let expected = PlainTransform.predictor(modes: modes, blockBits: blockBits)
          .undone(Array(residuals), width: width, height: height)

        let origin = width + predictionMargin
        var result: [UInt32] = []
        var above = ContiguousArray<UInt32>(repeating: 5, count: width)
        var y = 0
        while y < height {
          let count = Bool.random(using: &random) ? 16 : Int.random(in: 1...16, using: &random)
          let rows = y..<min(height, y + count)
          var buffer = ContiguousArray<UInt32>(repeating: 3, count: origin + rows.count * width + predictionMargin)
          for x in 0..<width { buffer[origin - width + x] = above[x] }
          for index in 0..<rows.count * width { buffer[origin + index] = residuals[y * width + index] }
          var span = buffer.mutableSpan
          addPredictions(
            rows, in: &span, at: origin, width: width, modes: ContiguousArray(modes.map(UInt8.init)).span,
            blockBits: blockBits)
          result += buffer[origin..<origin + rows.count * width]
          above = ContiguousArray(result.suffix(width))
          y = rows.upperBound
        }
        expectSame(result, expected, "mode \(round < 16 ? "\(round)" : "any"), blocks of \(1 << blockBits)")
      }
    }
  }
}
