import Testing

@testable import PureWebP

@Suite struct MetadataTests {
  private static let frame = PlainFrame(
    picture: PixelGrid(width: 2, height: 2, pixels: Array(repeating: SIMD4(1, 2, 3, 4), count: 4)))

  private static func chunk(_ name: String, _ payload: [UInt8]) -> WebP.Metadata.Chunk {
    let fourCC = name.utf8.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return .init(fourCC: WebP.FourCC(rawValue: fourCC), payload: payload)
  }

  private static let file: [UInt8] = {
    let image = FileWriter.chunk("VP8L", FileWriter.vp8L(frame.picture))
    return FileWriter.riff(
      FileWriter.vp8X(flags: 0x02, width: 2, height: 2), FileWriter.chunk("ICCP", [1, 2, 3]), FileWriter.anim(),
      FileWriter.chunk("one ", [9]), FileWriter.anmf(frame, chunks: image + FileWriter.chunk("two ", [])),
      FileWriter.chunk("XMP ", [4]), FileWriter.anmf(frame), FileWriter.chunk("EXIF", [5, 6]),
      FileWriter.chunk("one ", [8, 8]), FileWriter.chunk("EXIF", [7]))
  }()

  @Test func chunksAreFoundBetweenAndInFrames() {
    let metadata = WebP.metadata(Self.file)
    #expect(metadata.icc == [1, 2, 3] && metadata.xmp == [4] && metadata.exif == [5, 6])
    #expect(metadata.unknown == [Self.chunk("one ", [9]), Self.chunk("two ", []), Self.chunk("one ", [8, 8])])
    #expect(try! WebP.Animation(Self.file).metadata == metadata)
  }

  @Test func headersTellWhatThereIs() throws {
    let info = try WebP.info(Self.file)
    #expect(info.hasICC && info.hasExif && info.hasXMP && info.frameCount == 2)
    let beginning = try WebP.info(Array(Self.file.prefix(60)))
    #expect(beginning.hasICC && !beginning.hasExif && !beginning.hasXMP && beginning.frameCount == 0)
  }

  @Test func metadataThatIsTooLargeIsLeftOut() {
    var limits = WebP.Limits()
    limits.maximumMetadataBytes = 5 + 4 * 8  // four chunks with their headers
    let metadata = WebP.metadata(Self.file, limits: limits)
    #expect(metadata.icc == [1, 2, 3] && metadata.xmp == [4] && metadata.exif == nil)
    #expect(metadata.unknown == [Self.chunk("one ", [9]), Self.chunk("two ", [])])
  }
}
