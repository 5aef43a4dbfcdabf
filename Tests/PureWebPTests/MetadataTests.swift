import TestSupport
import Testing

@testable import PureWebP

/// Proves that metadata, frames and loops are found wherever a file stores them.
/// Expected values: chunks that the tests write, and the animation decoder's counts.
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

  @Test func headersReportMetadata() throws {
    let info = try WebP.info(Self.file)
    #expect(info.hasICC && info.hasExif && info.hasXMP && info.frameCount == 2)
    let beginning = try WebP.info(Array(Self.file.prefix(60)))
    #expect(beginning.hasICC && !beginning.hasExif && !beginning.hasXMP && beginning.frameCount == 0)
  }

  /// The file has 3 bytes of ICC, then ANIM, the frames, and Exif and XMP between and after them.
  @Test func prefixesLeaveOpenWhatFollows() throws {
    let whole = try WebP.info(prefix: Self.file)
    #expect(whole.hasICC == true && whole.hasExif == true && whole.hasXMP == true && whole.frameCount == 2)
    #expect(whole.loopCount == (try WebP.Animation(Self.file).loopCount) && whole.hasAlpha != nil)
    let header = try WebP.info(prefix: Self.file.prefix(30))
    #expect(header.isAnimated && (header.width, header.height) == (whole.width, whole.height))
    #expect(header.hasICC == nil && header.hasExif == nil && header.frameCount == nil && header.loopCount == nil)
    let most = try WebP.info(prefix: Self.file.dropLast())
    #expect(most.hasICC == true && most.frameCount == nil && most.loopCount == whole.loopCount)
    #expect(throws: WebP.DecodeError.self) { try WebP.info(prefix: Self.file.prefix(29)) }

    let still = FileWriter.riff(
      FileWriter.vp8X(flags: 0x10, width: 2, height: 2), FileWriter.chunk("none", [1, 2]),
      FileWriter.chunk("VP8L", FileWriter.vp8L(Self.frame.picture)))
    let before = try WebP.info(prefix: still.prefix(35))
    #expect(before.compression == nil && before.hasAlpha == nil && before.frameCount == 1 && before.loopCount == 1)
    let after = try WebP.info(prefix: still.dropLast(2))
    #expect(after.compression == .lossless && after.hasAlpha != nil && after.hasXMP == nil)
    #expect(try WebP.info(prefix: still).hasXMP == false)
    // A bare bitstream has no other chunks.
    let bare = try WebP.info(prefix: FileWriter.vp8L(Self.frame.picture))
    #expect(bare.hasExif == false && bare.frameCount == 1 && bare.compression == .lossless)
  }

  /// Metadata after the image of a frame is found too. A streaming decoder reports what has arrived.
  @Test func metadataReadersAgree() throws {
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(Self.frame.picture))
    let inner = picture + FileWriter.chunk("XMP ", [1]) + FileWriter.chunk("ICCP", [2])
    let animation = FileWriter.riff(
      FileWriter.vp8X(flags: 0x02, width: 2, height: 2), FileWriter.anim(), FileWriter.anmf(Self.frame, chunks: inner))
    let info = try WebP.info(animation)
    let metadata = WebP.metadata(animation)
    #expect(info.hasXMP && metadata.xmp != nil && info.hasICC && metadata.icc != nil && !info.hasExif)
    #expect(info.frameCount == 1 && WebP.metadata(ContiguousArray(animation).span) == metadata)

    let still = FileWriter.riff(
      FileWriter.vp8X(flags: 0x2C, width: 2, height: 2), FileWriter.chunk("ICCP", [1, 2, 3]), picture,
      FileWriter.chunk("EXIF", [5]))
    var decoder = WebP.StreamingDecoder()
    _ = try decoder.append(still)
    #expect(decoder.info == (try WebP.info(prefix: still)))
    var pieces = WebP.StreamingDecoder()
    for byte in still.dropLast(2) { _ = try pieces.append([byte]) }
    #expect(pieces.info?.hasICC == true && pieces.info?.hasExif == nil && pieces.info?.orientation == nil)
  }

  /// The flags of VP8X are separate from the chunks that exist.
  @Test func streamsKnowWhatTheFileHas() throws {
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(Self.frame.picture))
    let exif = FileWriter.chunk("EXIF", Exif.turnedRight)
    // Bit 2: XMP, bit 3: Exif, bit 5: ICC profile.
    let files: [(file: [UInt8], declared: [Bool], found: [Bool], orientation: WebP.Orientation)] = [
      (
        FileWriter.riff(FileWriter.vp8X(flags: 0x24, width: 2, height: 2), picture, exif), [true, false, true],
        [false, true, false], .right
      ),
      (
        FileWriter.riff(FileWriter.vp8X(flags: 0x08, width: 2, height: 2), picture), [false, true, false],
        [false, false, false], .up
      ),
      (FileWriter.riff(picture), [false, false, false], [false, false, false], .up),
      (Self.file, [false, false, false], [true, true, true], .up),
      (FileWriter.vp8L(Self.frame.picture), [false, false, false], [false, false, false], .up),
    ]
    for (file, declared, found, orientation) in files {
      let whole = try WebP.info(file)
      #expect([whole.hasICC, whole.hasExif, whole.hasXMP] == found && whole.orientation == orientation)
      for size in [1, 7, 1 << 20] {
        var (still, rows, frames) = (WebP.StreamingDecoder(), WebP.RowDecoder(), WebP.StreamingAnimation())
        for start in stride(from: 0, to: file.count, by: size) {
          let bytes = file[start..<min(file.count, start + size)]
          try frames.append(bytes)
          while try frames.nextFrame() != nil {}
          guard !whole.isAnimated else { continue }
          try still.append(bytes)
          try rows.append(bytes)
          while try rows.nextStrip() != nil {}
        }
        try frames.finish()
        if !whole.isAnimated { try still.finish() }
        rows.finish()
        while !whole.isAnimated, try rows.nextStrip() != nil {}
        #expect(frames.metadata == WebP.metadata(file))
        for info in whole.isAnimated ? [frames.info] : [frames.info, still.info, rows.info] {
          let info = try #require(info)
          #expect(info.width == whole.width && info.height == whole.height && info.isAnimated == whole.isAnimated)
          #expect(info.hasAlpha == whole.hasAlpha && info.compression == whole.compression)
          #expect(info.frameCount == whole.frameCount && info.loopCount == whole.loopCount)
          #expect([info.hasICC, info.hasExif, info.hasXMP] == found && info.orientation == orientation)
          #expect([info.declaresICC, info.declaresExif, info.declaresXMP] == declared)
          #expect(info.byteCount == Int64(file.count))
        }
      }
    }
  }

  /// If there are several chunks of a kind, the first one counts. Chunks after the end of the RIFF chunk are ignored.
  @Test func lateChunksAreIgnored() throws {
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(Self.frame.picture))
    let extended = FileWriter.vp8X(flags: 0x3C, width: 2, height: 2)
    for name in ["ICCP", "EXIF", "XMP "] {
      let (first, second) = (FileWriter.chunk(name, [1]), FileWriter.chunk(name, [2]))
      let metadata = WebP.metadata(FileWriter.riff(extended, picture, first, second))
      #expect([metadata.icc, metadata.exif, metadata.xmp].compactMap { $0 } == [[1]])
      let late = FileWriter.riff(extended, picture) + first
      let info = try WebP.info(late)
      #expect(WebP.metadata(late).isEmpty && !info.hasICC && !info.hasExif && !info.hasXMP)
      let incomplete = FileWriter.riff(extended, picture, FileWriter.chunk(name, [1, 2], size: 100))
      #expect(WebP.metadata(incomplete).isEmpty && WebP.metadata(Array(incomplete.prefix(20))).isEmpty)
    }
    #expect(WebP.metadata([]).isEmpty)
  }

  /// If there are several ANIM chunks, the first one counts. If its last byte is missing, the padding byte is read
  /// instead.
  @Test func loopCountMatchesTheAnimation() throws {
    func anim(_ loops: Int, size: Int = 6) -> [UInt8] {
      FileWriter.chunk("ANIM", Array(([9, 9, 9, 9] + FileWriter.littleEndian(loops, bytes: 2)).prefix(size)))
    }
    for chunks in [anim(3) + anim(7), anim(3, size: 5)] {
      let file = FileWriter.riff(
        FileWriter.vp8X(flags: 0x02, width: 2, height: 2), chunks, FileWriter.anmf(Self.frame))
      #expect(try WebP.Animation(file).loopCount == 3)
      #expect(try WebP.info(file).loopCount == 3)
    }
  }

  /// `info` counts frames and loops as the animation decoder does, even if chunks are misplaced.
  @Test func misplacedChunksAreCountedAsInAnimations() throws {
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8L(Self.frame.picture))
    let still = FileWriter.vp8X(flags: 0, width: 2, height: 2)
    let moving = FileWriter.vp8X(flags: 2, width: 2, height: 2)
    let (anim, anmf) = (FileWriter.anim(loopCount: 5), FileWriter.anmf(Self.frame))
    let empty = FileWriter.anmf(Self.frame, chunks: FileWriter.chunk("one ", [1, 2]))
    let xmp = FileWriter.chunk("XMP ", [1])
    // The size of this ANMF chunk is too small by one. The last byte of its image is where the padding byte should be.
    var short = anmf
    short[4] -= 1
    func frame(_ chunks: [UInt8]...) -> [UInt8] { FileWriter.anmf(Self.frame, chunks: chunks.flatMap(\.self)) }
    let one = FileWriter.chunk("one ", [])
    let files: [(chunks: [[UInt8]], loops: Int, frames: Int)] = [
      ([moving, anim, frame(picture, anmf)], 5, 2), ([moving, anim, frame(picture, xmp, anmf, xmp)], 5, 2),
      ([moving, one, anim, empty, anmf, empty], 5, 1), ([moving, anim, empty, frame(anmf)], 5, 1),
      ([moving, anim, anmf, frame(picture, anim)], 5, 2), ([moving, anim, anmf, empty, picture], 5, 1),
      ([moving, anim, anmf, frame(one, picture)], 5, 1), ([still, picture, anim], 5, 1),
      ([still, picture, anim, anmf], 5, 1), ([picture, anim], 1, 1), ([picture, moving, anim], 1, 1),
      ([moving, anim, short], 5, 1),
    ]
    for (index, (chunks, loops, frames)) in files.enumerated() {
      let file = FileWriter.riff(chunks.flatMap(\.self))
      let info = try WebP.info(file)
      #expect(info.loopCount == loops && info.frameCount == frames, "file \(index)")
      let animation = try WebP.Animation(recovering: file)
      #expect(animation.loopCount == loops && animation.frameCount == frames, "file \(index)")
    }
    let late = FileWriter.riff(moving + anmf + anim)
    #expect(try WebP.info(late).frameCount == 0 && WebP.Animation(recovering: late).frameCount == 0)
  }

  @Test func fourCCsHaveDescriptions() {
    let xmp: WebP.FourCC = "XMP"
    #expect(xmp.description == "XMP " && xmp == "XMP " && WebP.FourCC.xmp == xmp)
    #expect(WebP.FourCC.alph == "ALPH" && WebP.FourCC(rawValue: 0x4850_4C41) == "ALPH")
  }

  @Test func metadataBeyondTheLimitIsOmitted() {
    // Four chunks with their headers, two of them unknown.
    let limits = WebP.Limits(maximumMetadataBytes: 5 + 4 * 8 + 2 * 64)
    let metadata = WebP.metadata(Self.file, limits: limits)
    #expect(metadata.icc == [1, 2, 3] && metadata.xmp == [4] && metadata.exif == nil)
    #expect(metadata.unknown == [Self.chunk("one ", [9]), Self.chunk("two ", [])])
  }

  /// Profiles of version 2 (desc) and version 4 (mluc), written by hand.
  @Test func profilesHaveNames() {
    func big(_ number: Int) -> [UInt8] { FileWriter.littleEndian(number, bytes: 4).reversed() }
    func name(_ profile: [UInt8]) -> String? { WebP.Metadata(icc: profile).profileName }
    let header = [UInt8](repeating: 0, count: 128) + big(1) + Array("desc".utf8) + big(144) + big(40)
    let old = header + Array("desc".utf8) + big(0) + big(5) + Array("sRGB\0".utf8)
    let new =
      header + Array("mluc".utf8) + big(0) + big(1) + big(12) + Array("enUS".utf8) + big(8) + big(28) + [0, 80, 0, 51]
      + [0, 32, 0, 33]
    #expect(name(old) == "sRGB" && name(new) == "P3 !" && name([]) == nil && WebP.Metadata().profileName == nil)
    for profile in [old, new] {
      for length in profile.indices { _ = name(Array(profile.prefix(length))) }
      for offset in profile.indices {
        for value in [0x7F, 0xFF] as [UInt8] {
          var changed = profile
          changed[offset] = value
          _ = name(changed)
        }
      }
    }
  }
}
