import ConformanceGenerator
import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that PNGs contain the pixels, the smallest color type and the metadata.
/// Expected values: `PNGReader`, which shares no code with the writer, pngcheck and Pillow.
@Suite struct PNGTests {
  @Test(arguments: Subject.allCases)
  func everyImageCanBeReadBack(_ subject: Subject) throws {
    for (width, height) in TestImages.sizes {
      for format in [WebP.PixelFormat.rgba, .bgra, .argb, .rgb, .bgr] {
        var options = WebP.PNGOptions()
        for reduces in [true, false] {
          options.reducesColors = reduces
          let expected = TestImages.make(width, height, .rgba, subject.color())
          let image = TestImages.make(width, height, format, subject.color())
          let png = try PNGReader(try image.encoded(png: options))
          #expect(png.width == width && png.height == height)
          expectSame(png.pixels, opaque(expected.pixels, unless: format.hasAlpha), "\(width) × \(height) \(format)")
          if !reduces { #expect(png.colorType == (format.hasAlpha ? 6 : 2)) }
        }
      }
    }
  }

  private func opaque(_ rgba: ContiguousArray<UInt8>, unless keeps: Bool) -> [UInt8] {
    rgba.enumerated().map { $0 % 4 == 3 && !keeps ? 255 : $1 }
  }

  @Test(arguments: [
    (Subject.noise, 2, 8), (.noiseWithAlpha, 6, 8), (.ramp, 2, 8), (.flat, 3, 1), (.clear, 3, 1),
    (.grayNoise, 0, 8), (.grayRamp, 0, 8), (.grayWithAlpha, 4, 8), (.colors2, 3, 1), (.colors3, 3, 2),
    (.colors5, 3, 4), (.colors16, 3, 4), (.colors17, 3, 8), (.colors256, 3, 8), (.colors257, 2, 8),
    (.colorsWithAlpha, 3, 2), (.grays4, 3, 2), (.grays16, 0, 8),
  ])
  func smallestColorTypeIsUsed(_ subject: Subject, colorType: Int, bitDepth: Int) throws {
    let image = TestImages.make(90, 70, .rgba, subject.color())
    let png = try PNGReader(try image.encoded())
    #expect(png.colorType == colorType)
    #expect(png.bitDepth == bitDepth)
  }

  @Test func uselessPaletteIsNotWritten() throws {
    // With 256 colors in 256 pixels, a palette would not make the file smaller.
    let image = TestImages.make(16, 16, .rgb) { x, y in [UInt8(x * 16), UInt8(y * 16), 0, 255] }
    #expect(try PNGReader(try image.encoded()).colorType == 2)
  }

  @Test func everyFilterIsUsed() throws {
    // Each row suits one filter: noise, steps to the right, a copy of the row above, the mean of left and above, and
    // the Paeth predictor with steps.
    var random = SplitMix64(seed: 3)
    var above = [UInt8](repeating: 0, count: 64)
    var pixels: [[UInt8]] = []
    for y in 0..<50 {
      var row = [UInt8](repeating: 0, count: 64)
      for x in 0..<64 {
        let left = x > 0 ? Int(row[x - 1]) : 0
        let corner = x > 0 ? Int(above[x - 1]) : 0
        switch y % 5 {
        case 0: row[x] = UInt8.random(in: 0...3, using: &random)
        case 1: row[x] = UInt8(truncatingIfNeeded: left + 90)
        case 2: row[x] = above[x]
        case 3: row[x] = UInt8((left + Int(above[x])) / 2)
        default:
          let candidates = [left, Int(above[x]), corner]
          let target = left + Int(above[x]) - corner
          let nearest = candidates.min { abs($0 - target) < abs($1 - target) }!
          row[x] = UInt8(truncatingIfNeeded: nearest + (x % 7 == 3 ? 60 : 0))
        }
      }
      pixels.append(row)
      above = row
    }
    let image = TestImages.make(64, 50, .rgb) { x, y in [pixels[y][x], pixels[y][x], pixels[y][x], 255] }
    let png = try PNGReader(try image.encoded())
    #expect(png.colorType == 0)
    #expect(Set(png.filters) == [0, 1, 2, 3, 4])
    expectSame(png.pixels, pixels.joined().flatMap { [$0, $0, $0, 255] })
  }

  @Test(arguments: [(Subject.rampWithAlpha, 61, 20), (.noise, 3001, 2)])
  func rowsHaveTheFilterWithTheSmallestSum(_ subject: Subject, width: Int, height: Int) throws {
    let image = TestImages.make(width, height, .rgb, subject.color())
    let png = try PNGReader(try image.encoded())
    let stride = width * 3
    for y in 0..<height {
      let sums = (0...4).map { filter in
        (0..<stride).reduce(0) { sum, x in
          let at = { (dx: Int, dy: Int) in
            x + dx < 0 || y + dy < 0 ? 0 : Int(image.pixels[(y + dy) * stride + x + dx])
          }
          let (a, b, c) = (at(-3, 0), at(0, -1), x < 3 ? 0 : at(-3, -1))
          let nearest = [a, b, c].min { abs(a + b - c - $0) < abs(a + b - c - $1) }!
          let difference = (at(0, 0) - [0, a, b, (a + b) / 2, nearest][filter] + 256) % 256
          return sum + min(difference, 256 - difference, 16)
        }
      }
      #expect(sums[png.filters[y]] == sums.min(), "row \(y)")
    }
  }

  @Test(arguments: [WebP.PNGCompression.automatic, .level(0), .level(1), .level(6), .level(9)])
  func largeImagesCanBeReadBack(_ compression: WebP.PNGCompression) throws {
    // Bands of rows with different content, for which `automatic` selects different ways of compression.
    var random = SplitMix64(seed: 11)
    let image = TestImages.make(700, 900, .rgba) { x, y in
      if y / 150 % 2 == 0 {
        return [UInt8.random(in: 0...255, using: &random), UInt8(x & 63), UInt8(y & 127), 255]
      }
      return [UInt8(x / 7 % 256), UInt8(x % 50), UInt8(y % 60), UInt8(255 - x % 100)]
    }
    let png = try PNGReader(try image.encoded(png: .init(compression: compression)))
    expectSame(png.pixels, Array(image.pixels))
    #expect(compression == .level(0) || png.chunks.filter { $0.type == "IDAT" }.count > 2)
  }

  @Test(arguments: [WebP.PNGCompression.automatic, .level(1)])
  func anyNumberOfThreadsWritesTheSameBytes(_ compression: WebP.PNGCompression) throws {
    var random = SplitMix64(seed: 5)
    let image = TestImages.make(1000, 1400, .rgb) { x, y in
      y / 200 % 2 == 0 ? [UInt8.random(in: 0...31, using: &random), UInt8(x & 63), 7, 255] : [UInt8(x & 7), 1, 2, 255]
    }
    var options = WebP.PNGOptions(compression: compression, threads: .one)
    let expected = try image.encoded(png: options)
    #expect(try PNGReader(expected).chunks.filter { $0.type == "IDAT" }.count > 5)
    for threads in [2, 3, 5, 16] {
      options.threads = .atMost(threads)
      try expectSame(image.encoded(png: options), expected, "\(threads) threads")
    }
  }

  @Test(arguments: [1, 2, 5]) func outputMayFailAtAnyPoint(threads: Int) throws {
    struct Full: Error {}
    let image = TestImages.make(1000, 1400, .rgb, Subject.noise.color())
    let options = WebP.PNGOptions(threads: .atMost(threads))
    for pieces in 0..<8 {
      var taken = 0
      #expect(throws: WebP.ExportError.self) {
        try image.write(png: options) { _ in
          if taken == pieces { throw Full() }
          taken += 1
        }
      }
      expectSame(taken, pieces)
    }
  }

  /// The second image is text, except at the positions of the samples that select an effort.
  @Test func noLevelWritesALargerFileThanTheLevelBelow() throws {
    var random = SplitMix64(seed: 9)
    let images = [
      TestImages.make(300, 300, .rgb) { x, y in [UInt8(x * y % 251), UInt8((x ^ y) & 255), UInt8(y / 2), 255] },
      TestImages.make(200, 400, .rgb) { x, y in
        let isText = !(45..<65).contains(y % 100)
        let glyph = UInt8((x % 8 * 37 + y % 12 * 59) * (x / 8 * y / 12 % 26 + 3) & 255)
        return isText ? [glyph, 255 - glyph, 7, 255] : (0..<3).map { _ in .random(in: 0...3, using: &random) } + [255]
      },
    ]
    for image in images {
      let sizes = try (0...9).map { try size(image, .level($0)) }
      #expect(sizes == sizes.sorted(by: >))
      #expect(try sizes[9] <= size(image, .automatic) && sizes[9] < sizes[1])
    }
  }

  @Test func defaultCompressionIsEffective() throws {
    let image = TestImages.make(300, 300, .rgb) { x, y in
      [UInt8(x * y % 251), UInt8((x ^ y) & 255), UInt8(y / 2), 255]
    }
    #expect(WebP.PNGOptions().compression == .automatic)
    #expect(try size(image, .automatic) * 50 <= size(image, .level(6)) * 51)
    #expect(try size(image, .level(6)) * 2 < size(image, .level(0)))
  }

  /// In a gradient with noise in each channel, repetitions of several bytes occur only at random.
  @Test func smoothDrawingsAreCompressedAsRuns() throws {
    var random = SplitMix64(seed: 3)
    let image = TestImages.make(600, 400, .rgb) { x, y in
      [x / 3, y / 2, (x + y) / 8].map { UInt8($0 + Int.random(in: 0...3, using: &random) / 3) } + [255]
    }
    #expect(try size(image, .automatic) * 200 <= size(image, .level(6)) * 201)
  }

  /// Text has repetitions. The middle of this page is empty. This part alone must not determine the compression.
  @Test func textWithAnEmptyMiddleIsNotCompressedAsAPhoto() throws {
    let image = TestImages.make(320, 240, .rgb) { x, y in
      let isEmpty = (90..<150).contains(y)
      let glyph = (x / 8 * 7 + y / 12 * 5) % 26
      let shade = UInt8((x % 8 * 37 + y % 12 * 59) * (glyph + 3) & 255)
      return isEmpty ? [UInt8(x / 3), UInt8(y), 250, 255] : [shade, shade, 255 - shade / 2, 255]
    }
    #expect(try size(image, .automatic) * 50 <= size(image, .level(6)) * 51)
  }

  private func size(_ image: WebP.Image, _ compression: WebP.PNGCompression) throws -> Int {
    return try image.encoded(png: .init(compression: compression)).count
  }

  /// Levels outside of zlib's range are clamped.
  @Test func levelsAreClamped() throws {
    let image = TestImages.make(90, 70, .rgb, Subject.ramp.color())
    func encoded(_ level: Int) throws -> [UInt8] {
      return try image.encoded(png: .init(compression: .level(level)))
    }
    #expect(try encoded(10) == encoded(9) && encoded(.max) == encoded(9))
    #expect(try encoded(-1) == encoded(0) && encoded(.min) == encoded(0) && encoded(0) != encoded(9))
  }

  @Test func rowsMayBeWrittenInAnyPortions() throws {
    let image = TestImages.make(33, 29, .rgb, Subject.noise.color())
    let whole = try image.encoded(png: WebP.PNGOptions())
    for portion in [1, 2, 7, 28] {
      let writer = try WebP.PNGWriter(.init(width: 33, height: 29, colorType: .rgb))
      try expectSame(written(image.pixels, by: writer, inPortionsOf: 99 * portion), whole)
    }
  }

  /// The file to which a writer writes rows, a number of bytes at a time.
  private func written(
    _ rows: ContiguousArray<UInt8>, by writer: WebP.PNGWriter, inPortionsOf count: Int = .max
  ) throws -> [UInt8] {
    var file: [UInt8] = []
    var rest = rows[...]
    while !rest.isEmpty {
      try writer.write(rows: ContiguousArray(rest.prefix(count)).span) { file += $0 }
      rest = rest.dropFirst(count)
    }
    try writer.finish { file += $0 }
    return file
  }

  /// The color types are as in `smallestColorTypeIsUsed`. Rows arrive in portions.
  @Test(arguments: [
    (Subject.noise, 2), (.noiseWithAlpha, 6), (.grayNoise, 0), (.grayWithAlpha, 4), (.colorsWithAlpha, 3),
    (.colors257, 2),
  ])
  func writtenRowsMayBeReduced(_ subject: Subject, colorType: Int) throws {
    let image = TestImages.make(90, 70, .rgba, subject.color())
    for portion in [1, 9, 70] {
      let png = try reducedPNG(of: image, inPortionsOf: portion)
      #expect(png.colorType == colorType)
      expectSame(png.pixels, Array(image.pixels))
    }
  }

  /// An RGBA image, written a number of rows at a time with reduced colors.
  private func reducedPNG(of image: WebP.Image, inPortionsOf rows: Int) throws -> PNGReader {
    let header = WebP.PNGHeader(width: image.width, height: image.height, colorType: .rgba)
    let writer = try WebP.PNGWriter(header, reducesColors: true)
    return try PNGReader(written(image.pixels, by: writer, inPortionsOf: rows * image.stride))
  }

  /// A column of 300 colors allows no palette, and is opaque until its last row.
  @Test func lastRowMayPreventTheReduction() throws {
    let image = TestImages.make(1, 300, .rgba) { _, y in [UInt8(y & 255), UInt8(y >> 8), 7, y < 299 ? 255 : 254] }
    let pixels = image.pixels
    let writer = try WebP.PNGWriter(.init(width: 1, height: 300, colorType: .rgba), reducesColors: true)
    var file: [UInt8] = []
    try writer.write(rows: ContiguousArray(pixels[..<(299 * 4)]).span) { file += $0 }
    #expect(file.isEmpty)
    try writer.write(rows: ContiguousArray(pixels[(299 * 4)...]).span) { file += $0 }
    try writer.finish { file += $0 }
    let png = try PNGReader(file)
    #expect(png.colorType == 6)
    expectSame(png.pixels, Array(pixels))
  }

  /// Each third of the image has more colors than the one before: `g` has 200 grays, `a` grays with alpha, `c` colors,
  /// and `t` colors with alpha. The smallest color type is known only at the end, or in the last third.
  @Test(arguments: [("ggg", 0), ("gga", 4), ("gaa", 4), ("ggc", 2), ("gcc", 2), ("gac", 6), ("gat", 6), ("gct", 6)])
  func storedRowsAreConverted(_ thirds: String, _ colorType: Int) throws {
    let kinds = Array(thirds)
    let image = TestImages.make(30, 60, .rgba) { x, y in
      let (value, other) = (UInt8((x * 7 + y * 31) % 200), UInt8((x * 13 + y * 5) & 255))
      return switch kinds[y / 20] {
      case "g": [value, value, value, 255]
      case "a": [value, value, value, other]
      case "c": [value, other, 9, 255]
      default: [value, other, 9, other]
      }
    }
    for portion in [1, 7, 60] {
      let png = try reducedPNG(of: image, inPortionsOf: portion)
      #expect(png.colorType == colorType)
      expectSame(png.pixels, Array(image.pixels))
    }
  }

  /// Other color types than RGB and RGBA are the caller's choice.
  @Test func grayRowsStayGray() throws {
    let writer = try WebP.PNGWriter(.init(width: 2, height: 1, colorType: .gray), reducesColors: true)
    #expect(try PNGReader(written([0, 0], by: writer)).colorType == 0)
  }

  /// The color type, which follows from the rows, decides whether a profile for gray pixels is stored.
  @Test(arguments: [true, false]) func profileOfGrayPixelsIsStoredWithThem(isGray: Bool) throws {
    let icc = ICCProfile.bytes("GRAY")
    let image = TestImages.make(40, 40, .rgb, (isGray ? Subject.grayNoise : .noise).color())
    let header = WebP.PNGHeader(width: 40, height: 40, colorType: .rgb)
    let writer = try WebP.PNGWriter(header, metadata: .init(icc: icc), reducesColors: true)
    let png = try PNGReader(written(image.pixels, by: writer))
    #expect(png.chunks.contains { $0.type == "iCCP" } == isGray)
    #expect((writer.droppedProfile == nil) == isGray)
  }

  /// `writePNG` writes rows as the decoder returns them, with all colors or with reduced colors.
  @Test(arguments: [("encoder-pillow-grey.webp", 0), ("encoder-pillow-six-colours.webp", 3)])
  func decodedColorsNeedNotBeReduced(_ vector: String, _ reducedType: Int) throws {
    let data = try TestFile.vector(vector)
    let image = try WebP.decode(data)
    for reduces in [true, false] {
      let options = WebP.PNGOptions(reducesColors: reduces)
      var file: [UInt8] = []
      try WebP.writePNG(of: data, png: options) { file += $0 }
      let png = try PNGReader(file)
      #expect(png.colorType == (reduces ? reducedType : 2))
      expectSame(png.pixels, Array(image.pixels))
    }
  }

  /// The bytes can be any kind of collection.
  @Test func anyCollectionOfBytesIsAccepted() throws {
    let data = try TestFile.vector("encoder-cwebp-q75.webp")
    let expected = try WebP.decode(data).encoded()
    func png(_ bytes: some Collection<UInt8>) throws -> [UInt8] {
      var png: [UInt8] = []
      try WebP.writePNG(of: bytes) { png += $0 }
      return png
    }
    try expectSame(png(data), expected)
    try expectSame(png([UInt8](data)), expected)
    try expectSame(png(([0] + data).dropFirst()), expected)
    let options = WebP.DecodeOptions(limits: .init(maximumBytes: 1 << 20))
    let error = #expect(throws: WebP.DecodeError.self) {
      try WebP.writePNG(of: repeatElement(0, count: .max), options: options) { _ in }
    }
    #expect(error?.kind == .limitExceeded)
  }

  @Test func metadataMayFollowTheRows() throws {
    let writer = try WebP.PNGWriter(.init(width: 1, height: 1, colorType: .rgb))
    var file: [UInt8] = []
    try writer.write(rows: ContiguousArray([1, 2, 3]).span) { file += $0 }
    try writer.finish(metadata: .init(exif: Array("MM\0*".utf8), xmp: Array("<x/>".utf8))) { file += $0 }
    #expect(try PNGReader(file).chunks.map(\.type) == ["IHDR", "IDAT", "eXIf", "iTXt", "IEND"])
  }

  /// Profiles are compressed at level 6. At level 9, 64 MB of two different bytes would take three minutes. A file may
  /// contain such a profile.
  @Test func profilesAreCompressedQuickly() throws {
    var random = SplitMix64(seed: 9)
    let letters = (0..<1 << 16).map { _ in UInt8.random(in: 97...98, using: &random) }
    let icc = ICCProfile.bytes("RGB ", count: 132 + letters.count).prefix(132) + letters
    let image = TestImages.make(20, 20, .rgb, Subject.ramp.color())
    let payload = try PNGReader(try image.encoded(metadata: .init(icc: Array(icc)))).chunks[1].payload
    var expected = ContiguousArray<UInt8>()
    try deflate(ContiguousArray(icc).span, isLast: true, .level(6), onto: &expected)
    expectSame(Array(payload.dropFirst(15).dropLast(4)), Array(expected))
  }

  @Test func metadataIsStoredInItsChunks() throws {
    let icc = Array(ICCProfile.bytes("RGB ", count: 332).prefix(132)) + (0..<200).map { UInt8($0) }
    let exif = Array("Exif\0\0MM\0*".utf8)
    let xmp = Array("<x:xmpmeta>é</x:xmpmeta>".utf8)
    let metadata = WebP.Metadata(icc: icc, exif: exif, xmp: xmp)
    let gray = TestImages.make(20, 20, .rgb, Subject.grayRamp.color())
    let png = try PNGReader(try gray.encoded(metadata: metadata))
    #expect(png.colorType == 3, "an RGB profile excludes the gray color types")
    #expect(png.chunks.map(\.type) == ["IHDR", "iCCP", "PLTE", "eXIf", "iTXt", "IDAT", "IEND"])
    #expect(png.chunks[1].payload.starts(with: Array("ICC Profile\0\0".utf8)))
    #expect(try PNGReader.inflate(Array(png.chunks[1].payload.dropFirst(13)), count: icc.count) == icc)
    #expect(png.chunks[3].payload == Array("MM\0*".utf8))
    #expect(png.chunks[4].payload == Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp)

    let palette = TestImages.make(20, 20, .rgba, Subject.colorsWithAlpha.color())
    let types = try PNGReader(try palette.encoded(metadata: metadata)).chunks.map(\.type)
    #expect(types == ["IHDR", "iCCP", "PLTE", "tRNS", "eXIf", "iTXt", "IDAT", "IEND"])
  }

  @Test(arguments: WebP.PixelFormat.allCases) func pixelsOfEveryFormatAreWritten(format: WebP.PixelFormat) throws {
    let layout = try #require(WebP.Layout(format: format, width: 5, height: 3))
    let pixels = (0..<layout.byteCount).map { UInt8(truncatingIfNeeded: 71 * $0) }
    let image = try #require(WebP.Image(width: 5, height: 3, format: format, pixels: pixels))
    let png = try PNGReader(image.encoded())
    expectSame(Array(png.pixels), Array(image.converted(to: .rgba).pixels))
    for file in WebP.FileFormat.allCases {
      let converted = image.converted(to: file.pixelFormat(hasAlpha: format.hasAlpha))
      let isWritten = try image.encoded(as: file) == converted.encoded(as: file)
      // Gray pixels are stored as such, without a conversion to RGB: see GrayTests.
      let isStoredGray = [.gray8, .luma].contains(format) && [.bmp, .tiff, .pgm].contains(file)
      #expect(isWritten || isStoredGray || format == .luma && file == .yuv, "\(file)")
    }
    if format == .luma {
      try expectSame(image.encoded(as: .pgm), Array("P5\n5 3\n255\n".utf8) + pixels)
      try expectSame(image.encoded(as: .yuv), pixels)
    }
  }

  @Test func invalidHeadersAreRejected() throws {
    #expect(throws: WebP.ExportError.self) { try WebP.PNGWriter(.init(width: 0, height: 1, colorType: .rgb)) }
    #expect(throws: WebP.ExportError.self) { try WebP.PNGWriter(.init(width: 1, height: 1, colorType: .palette([]))) }
  }

  @Test func errorsOfTheOutputAreThrown() throws {
    struct Full: Error {}
    let image = TestImages.make(400, 400, .rgb, Subject.noise.color())
    for format in [WebP.FileFormat.png, .ppm, .bmp, .tiff, .pam] {
      do {
        try image.write(as: format) { _ in throw Full() }
        Issue.record("no error")
      } catch {
        guard case .output(let reason) = error else { throw error }
        #expect(reason is Full)
      }
    }
  }

  @Test(.needs("pngcheck"), arguments: Subject.allCases)
  func pngcheckAcceptsTheFiles(_ subject: Subject) throws {
    let icc = [UInt8](repeating: 0, count: 16) + Array("RGB ".utf8) + [UInt8](repeating: 0, count: 108)
    let metadata = WebP.Metadata(icc: icc, exif: Array("II*\0".utf8), xmp: Array("<x/>".utf8))
    let folder = try TemporaryFolder.make()
    var files: [URL] = []
    for (width, height) in TestImages.sizes {
      let image = TestImages.make(width, height, .rgba, subject.color())
      for metadata in [WebP.Metadata(), metadata] {
        files.append(folder.appendingPathComponent("\(width) x \(height), \(files.count).png"))
        try Data(image.encoded(metadata: metadata)).write(to: files[files.count - 1])
      }
    }
    let result = try FinishedProcess(named: "pngcheck", ["-q"] + files.map(\.path))
    #expect(result.status == 0 && result.text.isEmpty, "\(result.text)")
  }

  /// The products of these sides exceed the range of Int.
  @Test func oversizedSidesAreRejected() {
    let colors = [WebP.PNGHeader.ColorType.gray, .rgb, .rgba, .palette([.init(red: 1, green: 2, blue: 3)])]
    for colorType in colors {
      for (width, height) in [(Int.max, 1), (Int.max - 1, 1), (Int.max / 8 + 1, 1), (Int.min, 1), (1, Int.max)] {
        let header = WebP.PNGHeader(width: width, height: height, colorType: colorType)
        #expect(header.bytesPerRow >= 0)
        #expect(throws: WebP.ExportError.self) { try WebP.PNGWriter(header) }
      }
    }
    let largest = WebP.PNGHeader(width: Int(Int32.max), height: Int(Int32.max), colorType: .rgba)
    #expect(largest.bytesPerRow == Int(Int32.max) * 4)
    #expect(largest.isLonger(than: 1 << 19))
    let small = WebP.PNGHeader(width: 100, height: 20, colorType: .gray)
    #expect(small.isLonger(than: 2019) && !small.isLonger(than: 2020))
  }

  @Test(.needsPillow)
  func pillowReadsTheSamePixels() throws {
    let images = Subject.allCases.map { TestImages.make(37, 23, .rgba, $0.color()) }
    let lines = try Tool.pillow("i.convert('RGBA').tobytes().hex()", of: images.map { try $0.encoded() })
    for (line, (subject, image)) in zip(lines, zip(Subject.allCases, images)) {
      expectSame(Array(line), Array(image.pixels.map { String(format: "%02x", $0) }.joined()), "\(subject)")
    }
  }
}
