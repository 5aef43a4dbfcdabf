// Tests of PAM, PPM, PGM, BMP, TIFF and YUV files. Small parsers read the files. They are written from the
// specifications of the formats, and share no code with the writers.

import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPExport

/// Proves that uncompressed files contain the pixels in the layout of their format.
/// Expected values: headers that are decoded by the tests, and Pillow.
@Suite struct UncompressedTests {
  /// Every packed format that a writer has to rearrange.
  static let formats = [WebP.PixelFormat.rgba, .bgra, .argb, .rgb, .bgr]

  @Test(arguments: formats)
  func pamFilesContainTheChannels(_ format: WebP.PixelFormat) throws {
    for (width, height) in TestImages.sizes {
      let image = TestImages.make(width, height, format, Subject.noiseWithAlpha.color())
      let file = try image.encoded(as: .pam)
      let header = "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n"
      expectSame(file, Array(header.utf8) + rgba(of: image))
    }
  }

  @Test(arguments: formats)
  func ppmFilesContainTheColors(_ format: WebP.PixelFormat) throws {
    for (width, height) in TestImages.sizes {
      let image = TestImages.make(width, height, format, Subject.noiseWithAlpha.color())
      let file = try image.encoded(as: .ppm)
      let rgb = rgba(of: image).enumerated().filter { $0.offset % 4 != 3 }.map(\.element)
      #expect(file == Array("P6\n\(width) \(height)\n255\n".utf8) + rgb)
    }
  }

  @Test(arguments: [WebP.PixelFormat.yuv, .yuva])
  func pgmFilesContainThePlanes(_ format: WebP.PixelFormat) throws {
    for (width, height) in TestImages.sizes {
      let image = TestImages.planes(width, height, format, seed: 5)
      var file = try image.encoded(as: .pgm)[...]
      let (evenWidth, chromaHeight) = ((width + 1) / 2 * 2, (height + 1) / 2)
      let totalHeight = height + chromaHeight + (format == .yuva ? height : 0)
      let header = Array("P5\n\(evenWidth) \(totalHeight)\n255\n".utf8)
      #expect(file.starts(with: header))
      file = file.dropFirst(header.count)
      #expect(file.count == evenWidth * totalHeight)

      // Splits the rows of the file into planes again.
      var planes: [[UInt8]] = [[], [], [], []]
      for y in 0..<totalHeight {
        let row = file.prefix(evenWidth)
        file = file.dropFirst(evenWidth)
        switch y {
        case ..<height: planes[0] += row.prefix(width)
        case ..<(height + chromaHeight):
          planes[1] += row.prefix(evenWidth / 2)
          planes[2] += row.suffix(evenWidth / 2)
        default: planes[3] += row.prefix(width)
        }
        let isChroma = height..<height + chromaHeight ~= y
        if width % 2 == 1 && !isChroma { #expect(row.last == 0) }
      }
      expectSame(planes.flatMap { $0 }, Array(image.pixels))
    }
  }

  @Test(arguments: [WebP.PixelFormat.yuv, .yuva])
  func yuvFilesContainThePlanes(_ format: WebP.PixelFormat) throws {
    let image = TestImages.planes(7, 5, format, seed: 6)
    try expectSame(image.encoded(as: .yuv), Array(image.pixels))
    #expect(image.pixels.count == 35 + 12 + 12 + (format == .yuva ? 35 : 0))
  }

  @Test func alphaFilesContainTheAlpha() throws {
    let planes = TestImages.planes(7, 5, .yuva, seed: 6)
    try expectSame(planes.encoded(as: .alphaPGM), Array("P5\n7 5\n255\n".utf8) + planes.pixels.suffix(35))
    for format in [WebP.PixelFormat.rgba, .bgra, .argb, .argbPremultiplied] {
      let image = TestImages.make(7, 5, format, Subject.noiseWithAlpha.color())
      let alphas = rgba(of: image).enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
      try expectSame(image.encoded(as: .alphaPGM), Array("P5\n7 5\n255\n".utf8) + alphas)
    }
    for image in [TestImages.make(7, 5, .rgb, Subject.noise.color()), TestImages.planes(7, 5, .yuv, seed: 6)] {
      let opaque = repeatElement(255 as UInt8, count: 35)
      try expectSame(image.encoded(as: .alphaPGM), Array("P5\n7 5\n255\n".utf8) + opaque)
    }
  }

  @Test(arguments: formats)
  func bmpFilesContainTheRowsFromTheBottom(_ format: WebP.PixelFormat) throws {
    for (width, height) in TestImages.sizes {
      let image = TestImages.make(width, height, format, Subject.noiseWithAlpha.color())
      let file = Bytes(try image.encoded(as: .bmp))
      #expect(file.bytes.starts(with: Array("BM".utf8)) && file.long(2) == file.bytes.count)
      #expect(file.long(18) == width && file.long(22) == height && file.short(26) == 1)
      let bits = file.short(28)
      #expect(bits == (format.hasAlpha ? 32 : 24))
      #expect(file.long(14) == (format.hasAlpha ? 56 : 40))
      #expect(file.long(30) == (format.hasAlpha ? 3 : 0))
      #expect(file.long(38) == 2400 && file.long(42) == 2400 && file.long(46) == 0 && file.long(50) == 0)
      // The bit position of each channel: from the masks in the header, or the fixed order BGR.
      let masks = format.hasAlpha ? [54, 58, 62, 66].map(file.long) : [0xFF0000, 0xFF00, 0xFF]
      let shifts = masks.map(\.trailingZeroBitCount)
      let (start, stride) = (file.long(10), (width * bits + 31) / 32 * 4)
      #expect(file.long(34) == stride * height && start + stride * height == file.bytes.count)
      var pixels: [UInt8] = []
      for y in (0..<height).reversed() {
        for x in 0..<width {
          let at = start + y * stride + x * bits / 8
          let value = file.short(at) | Int(file.bytes[at + 2]) << 16 | (bits == 32 ? Int(file.bytes[at + 3]) << 24 : 0)
          pixels += shifts.map { UInt8(value >> $0 & 255) } + (bits == 24 ? [255] : [])
        }
      }
      expectSame(pixels, rgba(of: image), "\(width) × \(height)")
    }
  }

  @Test(arguments: formats)
  func tiffFilesContainTheRows(_ format: WebP.PixelFormat) throws {
    for (width, height) in TestImages.sizes + [(65535, 1), (65536, 1), (1, 70_000)] {
      let image = TestImages.make(width, height, format, Subject.noiseWithAlpha.color())
      let file = Bytes(try image.encoded(as: .tiff))
      #expect(file.bytes.starts(with: [0x49, 0x49, 42, 0]))
      var entries: [Int: (type: Int, count: Int, value: Int)] = [:]
      let directory = file.long(4)
      var lastTag = 0
      for index in 0..<file.short(directory) {
        let at = directory + 2 + index * 12
        let type = file.short(at + 2)
        let value = type == 3 && file.long(at + 4) == 1 ? file.short(at + 8) : file.long(at + 8)
        entries[file.short(at)] = (type, file.long(at + 4), value)
        #expect(file.short(at) > lastTag, "tags ascend")
        lastTag = file.short(at)
      }
      #expect(file.long(directory + 2 + entries.count * 12) == 0, "no second directory")
      // TIFF allows SHORT or LONG for the width and height. The writer uses SHORT if the value fits, because some
      // readers support only SHORT.
      for (tag, side) in [(256, width), (257, height), (278, height)] {
        #expect(entries[tag]?.type == (side < 65536 ? 3 : 4))
      }
      let samples = format.hasAlpha ? 4 : 3
      #expect(entries[256]?.value == width && entries[257]?.value == height && entries[278]?.value == height)
      #expect(entries[259]?.value == 1 && entries[262]?.value == 2 && entries[274]?.value == 1)
      #expect(entries[277]?.value == samples && entries[284]?.value == 1 && entries[296]?.value == 2)
      #expect(entries[338]?.value == (format.hasAlpha ? 2 : nil))
      let bits = try #require(entries[258])
      #expect(bits.count == samples && (0..<samples).allSatisfy { file.short(bits.value + $0 * 2) == 8 })
      for tag in [282, 283] {
        let offset = try #require(entries[tag]).value
        #expect(file.long(offset) == 72 && file.long(offset + 4) == 1)
      }
      let strip = try #require(entries[273]).value
      #expect(entries[279]?.value == width * height * samples)
      let pixels = Array(file.bytes[strip...])
      expectSame(pixels, rgba(of: image).enumerated().filter { $0.offset % 4 < samples }.map(\.element))
    }
  }

  /// Files of more than 4 GiB are rejected before the pixels are accessed.
  @Test(arguments: [WebP.FileFormat.tiff, .bmp])
  func oversizedFilesAreRejected(_ format: WebP.FileFormat) throws {
    let layout = try #require(WebP.Layout(format: .rgb, width: 1, height: 1))
    for (width, height) in [(40_000, 40_000), (1 << 20, 1 << 20), (Int(UInt32.max) + 2, 1)] {
      let image = WebP.Image(width: width, height: height, format: .rgb, pixels: [0, 0, 0], layout: layout)
      #expect(throws: WebP.ExportError.self) { try image.encoded(as: format) }
    }
  }

  @Test(.needsPillow)
  func pillowReadsTIFFsOfLongSides() throws {
    let images = [(65536, 2), (3, 70_000)].map { TestImages.make($0, $1, .rgb, Subject.noise.color()) }
    let files = try images.map { try $0.encoded(as: .tiff) }
    let lines = try Tool.pillow("f'{i.width} {i.height} {sum(i.tobytes())}'", of: files)
    for (line, image) in zip(lines, images) {
      #expect(line == "\(image.width) \(image.height) \(image.pixels.reduce(0) { $0 + Int($1) })")
    }
  }

  /// A large image is passed to the closure in several pieces of at most 256 KiB.
  @Test(arguments: [WebP.FileFormat.pgm, .yuv, .alphaPGM, .ppm, .bmp])
  func largeImagesAreWrittenIncrementally(_ format: WebP.FileFormat) throws {
    let (width, height) = (1001, 1100)
    let pixels = format.pixelFormat(hasAlpha: true)
    let image =
      pixels.isPlanar
      ? TestImages.planes(width, height, pixels, seed: 8)
      : TestImages.make(width, height, .rgba, Subject.ramp.color())
    var pieces: [Int] = []
    var file: [UInt8] = []
    try image.write(as: format) { piece in
      pieces.append(piece.count)
      file += piece
    }
    #expect(pieces.max()! <= 1 << 18)
    #expect(pieces.count <= 2 + file.count / (1 << 16), "several rows are written at a time")
    if format == .yuv { expectSame(file, Array(image.pixels)) }
    if format == .alphaPGM { #expect(file.suffix(width * height) == Array(image.pixels.suffix(width * height))[...]) }
  }

  @Test(arguments: WebP.FileFormat.allCases)
  func formatsAcceptTheirPixelFormat(_ format: WebP.FileFormat) throws {
    for hasAlpha in [false, true] {
      let pixels = format.pixelFormat(hasAlpha: hasAlpha)
      let image =
        pixels.isPlanar
        ? TestImages.planes(5, 3, pixels, seed: 1) : TestImages.make(5, 3, pixels, Subject.noise.color())
      #expect(try !image.encoded(as: format).isEmpty)
    }
    if format != .alphaPGM { #expect(WebP.FileFormat(fileExtension: format.fileExtension.uppercased()) == format) }
  }

  @Test(
    arguments: [
      ("apng", .png), ("pnm", .ppm), ("dib", .bmp), ("TIF", .tiff), ("webp", nil), ("", nil),
    ] as [(String, WebP.FileFormat?)]) func alternativeExtensionsAreRecognized(text: String, format: WebP.FileFormat?)
  {
    #expect(WebP.FileFormat(fileExtension: text) == format)
  }

  /// The pixels of a packed image as RGBA.
  private func rgba(of image: WebP.Image) -> [UInt8] {
    let order: [Int?] =
      switch image.format {
      case .bgra: [2, 1, 0, 3]
      case .argb, .argbPremultiplied: [1, 2, 3, 0]
      case .rgb: [0, 1, 2, nil]
      case .bgr: [2, 1, 0, nil]
      default: [0, 1, 2, 3]
      }
    return stride(from: 0, to: image.pixels.count, by: image.format.bytesPerPixel).flatMap { start in
      order.map { $0.map { image.pixels[start + $0] } ?? 255 }
    }
  }
}

/// Little-endian numbers in bytes.
private struct Bytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func short(_ at: Int) -> Int { Int(bytes[at]) | Int(bytes[at + 1]) << 8 }
  func long(_ at: Int) -> Int { short(at) | short(at + 2) << 16 }
}
