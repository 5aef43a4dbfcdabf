// libwebp's dithering of chroma, with the same random numbers. RFC 6386 does not specify dithering.
//
// Smooth chroma that was quantized finely shows banding, which a little noise hides. The noise is added after the loop
// filter, to macroblocks whose chroma has only DCs. It does not affect prediction, but it does affect the loop filter
// of the next row.

internal import WebPFormat

/// Adds noise to the chroma of an image. One generator serves the complete image, in the order of the macroblocks.
struct Dithering {
  private var noise: NoiseGenerator
  /// The amplitude in each segment: 4...255, or 0 for no noise.
  private let amplitudes: SIMD4<Int32>
  /// The macroblocks of a row to which noise is added.
  private let columns: Range<Int>

  /// Nil if there is no noise to add.
  ///
  /// - Parameters:
  ///   - strength: 0...100; 0 for none.
  ///   - columns: the macroblocks of a row to which noise is added. The others do not advance the generator.
  init?(_ header: FrameHeader, strength: Int, columns: Range<Int>) {
    let factor = Int32(min(max(strength, 0), 100) * 255 / 100)
    var amplitudes = SIMD4<Int32>()
    for segment in 0..<4 {
      let index = max(header.quantizerIndex(ofSegment: segment) + header.quantizer.uvAC, 0)
      guard index < amplitudesByQuantizer.count else { continue }
      let amplitude = (factor * amplitudesByQuantizer[Int(index)]) >> 3
      amplitudes[segment] = amplitude >= Self.leastAmplitude ? amplitude : 0
    }
    guard amplitudes != .zero else { return nil }
    noise = NoiseGenerator()  // only if it is needed: it allocates memory
    self.amplitudes = amplitudes
    self.columns = columns
  }

  /// The least amplitude that has an effect. Rounding removes noise of a smaller amplitude.
  private static let leastAmplitude: Int32 = 4

  /// Adds noise to a row of macroblocks, whose chroma starts at `start`.
  mutating func dither(_ macroblocks: Span<Macroblock>, in rows: inout YUVRows, at start: Int) {
    for x in columns {
      let macroblock = macroblocks[x]
      let amplitude = amplitudes[Int(macroblock.segment & 3)]
      let hasOnlyDCs = macroblock.chromaExtents & 0xAAAA == 0  // neither `short` nor `full`
      guard amplitude > 0, hasOnlyDCs, !macroblock.isSkipped else { continue }
      addNoise(amplitude, to: &rows.u, at: start + x * 8, stride: rows.chromaStride)
      addNoise(amplitude, to: &rows.v, at: start + x * 8, stride: rows.chromaStride)
    }
  }

  private mutating func addNoise(
    _ amplitude: Int32, to plane: inout ContiguousArray<UInt8>, at start: Int, stride: Int
  ) {
    var pixels = plane.mutableSpan
    for y in 0..<8 {
      for index in start + y * stride..<start + y * stride + 8 {
        let noisy = Int32(pixels[index]) + (noise.next(amplitude) + 8) >> 4
        pixels[index] = UInt8(min(max(noisy, 0), 255))
      }
    }
  }
}

/// Knuth's subtractive generator: each number is the difference of two earlier numbers, modulo 2³¹.
private struct NoiseGenerator {
  private var numbers = ContiguousArray(firstNumbers)
  private var first = 0
  private var second = 31

  /// The next number's top eight bits, as −128...127, times `amplitude` / 256.
  mutating func next(_ amplitude: Int32) -> Int32 {
    let difference = (numbers[first] &- numbers[second]) & Int32.max
    numbers[first] = difference
    first = first == numbers.count - 1 ? 0 : first + 1
    second = second == numbers.count - 1 ? 0 : second + 1
    return ((difference << 1) >> 24 * amplitude) >> 8
  }
}

/// The relative amplitudes in eighths, by the quantizer index of the chroma AC coefficients. Coarser quantizers get no
/// noise.
private let amplitudesByQuantizer: [Int32] = [8, 7, 6, 4, 4, 2, 2, 2, 1, 1, 1, 1]

private let firstNumbers: [Int32] = [
  232_870_448, 62_068_870, 2_002_758_859, 478_700_138, 1_748_524_117, 347_322_408, 1_250_295_544, 1_239_267_403,
  1_694_299_031, 1_549_075_081, 1_244_200_960, 226_410_970, 1_497_413_547, 1_418_876_797, 1_310_313_074, 953_388_137,
  201_453_157, 849_442_143, 1_412_953_682, 1_522_215_986, 262_821_809, 1_945_449_447, 1_751_117_530, 1_969_474_786,
  1_855_524_483, 1_194_371_053, 1_338_038_726, 1_231_754_556, 1_326_711_802, 1_411_054_348, 1_939_409_714, 651_676_444,
  1_875_654_406, 750_483_416, 1_970_679_594, 1_680_198_877, 615_732_321, 175_998_741, 570_692_776, 337_559_399,
  1_454_642_563, 1_944_388_323, 1_154_134_383, 673_598_786, 1_941_614_331, 173_075_437, 493_532_923, 221_959_179,
  903_560_040, 721_952_387, 2_010_016_661, 1_367_467_504, 2_021_997_500, 10_458_260, 669_379_900,
]
