import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

/// Proves that `webp frames` and `webp extract` write the frames and metadata of an animation.
/// Expected values: canvases that the library composes, and the output of libwebp's webpmux if it is installed.
@Suite struct FramesTests {
  let command = try! Command(with: "encoder-img2webp-animation.webp")

  /// A PAM stores R, G, B and A unchanged, so the canvases can be compared with the library's.
  @Test func everyFrameIsWritten() throws {
    let animation = try WebP.Animation(command.read("a.webp"))
    #expect(animation.frameCount > 1)
    let result = try command.webp("frames", "a.webp", "-o", "out", "-f", "pam")
    #expect(result.status == 0 && result.errors.isEmpty)
    let expected = (0..<animation.frameCount).map { "a-000\($0).pam" }
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: command.folder.path + "/out")) == Set(expected))
    for (name, frame) in zip(expected, animation) {
      #expect(try command.read("out/\(name)").suffix(frame.image.pixels.count) == Data(frame.image.pixels))
    }
    let single = try command.webp("frames", "a.webp", "--frame", "1", "-f", "pam", "-o", "-")
    #expect(try single.output == command.read("out/a-0001.pam"))
    #expect(try command.webp("frames", "a.webp", "-o", "out", "-f", "pam").status == 1, "the files exist already")
    #expect(try command.webp("frames", "a.webp", "-o", "out", "-f", "pam", "--force").status == 0)
    let beyond = try command.webp("frames", "a.webp", "--frame", "99", "-o", "new/")
    #expect(beyond.status == 1 && beyond.output.isEmpty)
    #expect(
      beyond.errors == "webp: a.webp: there is no frame 99; it has \(animation.frameCount), counted from 0\n")
    #expect(try command.files == ["a.webp", "out"])
    #expect(try command.webp("frames", "a.webp", "-o", "-").status == 64)
  }

  @Test func aSingleFrameIsWrittenToTheNamedFile() throws {
    for (name, format) in [("one.png", "png"), ("one.PAM", "pam"), ("two.bmp", "bmp")] {
      let expected = try command.webp("frames", "a.webp", "--frame", "1", "-f", format, "-o", "-").output
      #expect(expected.count > 100)
      for _ in 0..<2 { try command.webp("frames", "a.webp", "--frame", "1", "-o", name).expectSuccess() }
      #expect(try command.read(name) == expected)
      try command.webp("frames", "a.webp", "--frame", "1", "-f", format, "-o", "three.png").expectSuccess()
      #expect(try command.read("three.png") == expected, "--format has priority over the name")
    }
    #expect(try command.files == ["a.webp", "one.png", "one.PAM", "two.bmp", "three.png"])
    #expect(try command.webp("frames", "a.webp", "--frame", "1", "-o", "one.yuv").status == 64)

    for (arguments, message) in [
      ("--frame 1 -o one.jpg", "one.jpg: webp does not write JPEG files"), ("-o all.gif", "-o all.gif/"),
      ("-o all.png", "several files need a folder to go to: -o all.png/"), ("-o one.png", "one.png is not a folder"),
      ("--frame 0,1 -o -", "several png files cannot go to a pipe"), ("--frame 2-1", "--frame"),
      ("--frame x", "--frame"),
    ] {
      let refused = try command.shell("./webp frames a.webp \(arguments)")
      #expect(refused.status == 64 && refused.errors.contains(message), "\(refused.errors)")
    }
    #expect(try command.files.count == 5)

    // A folder may have any name.
    try command.webp("frames", "a.webp", "--frame", "1", "-o", "new.png/").expectSuccess()
    try command.webp("frames", "a.webp", "--frame", "0", "-o", "new.png").expectSuccess()
    try command.webp("frames", "a.webp", "--frame", "0-1", "-o", "plain").expectSuccess()
    #expect(try command.read("plain/a-0001.png") == command.read("one.png"))
    #expect(try command.shell("ls new.png").text == "a-0000.png\na-0001.png\n")
  }

  /// Frames are chosen with numbers and ranges. An open range ends at the last frame.
  @Test func severalFramesAreChosen() throws {
    try command.bring("animation-random-7.webp", as: "a.webp")
    let count = try WebP.Animation(command.read("a.webp")).frameCount
    #expect(count > 3)
    try command.webp("frames", "a.webp", "-o", "all").expectSuccess()
    for (selection, numbers) in [
      ("0", [0]), ("2,0", [0, 2]), ("1-2", [1, 2]), ("1-", Array(1..<count)), ("0-1,1-2", [0, 1, 2]),
    ] {
      try command.webp("frames", "a.webp", "--frame", selection, "-o", "some/").expectSuccess()
      try command.webp("extract", "frame", "a.webp", "--frame", selection, "-o", "parts/").expectSuccess()
      let names = try command.shell("cd some; ls; for f in *; do cmp $f ../all/$f; done; cd ..; rm -r some").text
      #expect(names == numbers.map { "a-\(String(format: "%04d", $0)).png\n" }.joined())
      #expect(
        try command.shell("ls parts; rm -r parts").text
          == numbers.map { "a-\(String(format: "%04d", $0)).webp\n" }.joined())
    }
    for selection in ["\(count)", "\(count)-", "0-\(count)", "0-9223372036854775806"] {
      let beyond = try command.webp("frames", "a.webp", "--frame", selection, "-o", "some/")
      #expect(beyond.status == 1 && beyond.errors.contains("there is no frame \(count); it has \(count)"))
    }
  }

  /// PAM and PPM files follow each other in a pipe.
  @Test(arguments: ["pam", "ppm"]) func framesArePiped(_ format: String) throws {
    try command.bring("animation-random-7.webp", as: "a.webp")
    try command.webp("frames", "a.webp", "-f", format, "-o", "all").expectSuccess()
    try command.shell("./webp frames a.webp -f \(format) -o - > piped; cat all/* | cmp - piped").expectSuccess()
  }

  /// An animation of frames that have one pixel on a square canvas.
  private func bringCanvas(side: Int = 4096, frameCount: Int, pixel: [UInt8]) throws {
    let frame = FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 16) + FileWriter.chunk("VP8L", pixel))
    let canvas = FileWriter.vp8X(flags: 2, width: side, height: side)
    let frames = repeatElement(frame, count: frameCount).flatMap { $0 }
    let file = FileWriter.riff(canvas, FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]), frames)
    try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
  }

  /// A small file must not cause gigabytes of output. A single canvas is allowed.
  @Test func composedPixelsAreLimited() throws {
    try bringCanvas(frameCount: 40, pixel: [47, 0, 0, 0, 16, 7, 16, 17, 17, 136, 136, 254, 7])
    let result = try command.webp("frames", "a.webp", "-o", "out", "-f", "pam")
    #expect(result.status == 1 && result.errors.hasSuffix("canvas conversion exceeds --pixels-per-byte (256)\n"))
    try command.webp("frames", "a.webp", "--frame", "39", "-o", "one.png").expectSuccess()
    #expect(try command.files == ["a.webp", "one.png"])
  }

  /// All frames are corrupt, so that decoding any of them would end in another error.
  @Test(arguments: [
    ("decode --fit 64x64", 4096), ("decode --flip", 4096), ("decode --partial --crop 0,0,4,4", 4096),
    ("frames --fit 64x64", 4096), ("decode --fit 4096x4096 --enlarge", 64), ("frames --resize 4096x4096", 64),
  ])
  func limitsAreCheckedBeforeFramesAreDecoded(_ words: String, _ side: Int) throws {
    try bringCanvas(side: side, frameCount: 200, pixel: [47, 0, 0, 0, 16] + [UInt8](repeating: 0xFF, count: 8))
    let single = try command.webp("decode", "--still", "a.webp")
    #expect(single.status == 1 && single.errors.contains("(frame 0, VP8L"))
    let result = try command.shell("./webp \(words) a.webp")
    #expect(result.status == 1 && result.errors.hasPrefix("webp: a.webp: canvas conversion exceeds "))
    #expect(try command.files == ["a.webp"])
  }

  /// Each frame as PAM has a header and 67 × 45 × 4 bytes.
  @Test func outputBytesAreLimited() throws {
    let result = try command.webp("frames", "a.webp", "-f", "pam", "--max-output", "13000")
    #expect(result.status == 1)
    #expect(
      result.errors == """
        webp: a.webp: output exceeds --max-output (13000); wrote 1 of 2 frames

        """
    )
    #expect(try command.files == ["a.webp", "a-0000.pam"])
    try command.webp("frames", "a.webp", "-f", "pam", "--max-output", "25000", "--force").expectSuccess()
    #expect(try command.webp("frames", "a.webp", "--max-output=-1").status == 64)
  }

  @Test func namesSortInTheOrderOfTheFrames() throws {
    let pixel = FileWriter.chunk("VP8L", [47, 0, 0, 0, 16, 7, 16, 17, 17, 136, 136, 254, 7])
    let frame = FileWriter.chunk("ANMF", [UInt8](repeating: 0, count: 16) + pixel)
    let canvas = FileWriter.vp8X(flags: 2, width: 1, height: 1)
    for (count, name) in [(10_000, "a-0009.png"), (10_001, "a-00009.png")] {
      let frames = repeatElement(frame, count: count).flatMap { $0 }
      let file = FileWriter.riff(canvas, FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]), frames)
      try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
      try command.webp("frames", "a.webp", "--frame", "9").expectSuccess()
      #expect(try command.files.contains(name))
    }
  }

  @Test func framesAreWrittenNextToTheirInput() throws {
    try command.shell("mkdir d").expectSuccess()
    try command.bring("encoder-img2webp-animation.webp", as: "d/a.webp")
    try command.webp("frames", "d/a.webp", "--frame", "1").expectSuccess()
    try command.webp("frames", "d/a.webp", "--frame", "0", "--prefix", "b").expectSuccess()
    #expect(try command.shell("ls d").text == "a-0001.png\na.webp\nb0000.png\n")
    try command.shell("./webp frames - --frame 0 < d/a.webp").expectSuccess()
    #expect(try command.files == ["a.webp", "d", "stdin-0000.png"])
    #expect(try command.read("stdin-0000.png") == command.read("d/b0000.png"))
  }

  /// Without the profile, the colors would differ. Exif and XMP are not repeated in each frame.
  @Test func framesHaveTheProfileOfTheirAnimation() throws {
    try command.bringWithMetadata(as: "a.webp", of: "encoder-img2webp-animation.webp")
    let profile = [UInt8](try command.webp("extract", "icc", "a.webp").output)
    try command.webp("frames", "a.webp", "-o", "out").expectSuccess()
    let names = try FileManager.default.contentsOfDirectory(atPath: command.folder.path + "/out")
    #expect(names.count > 1)
    for name in names {
      let chunks = try PNGReader([UInt8](command.read("out/\(name)"))).chunks
      let icc = try #require(chunks.first { $0.type == "iCCP" }).payload.dropFirst("ICC Profile\0\0".utf8.count)
      #expect(try PNGReader.inflate(Array(icc), count: profile.count) == profile)
      #expect(!chunks.contains { ["eXIf", "iTXt"].contains($0.type) })
    }
    // The metadata limit applies to the profiles of all frames together.
    let sum = names.count * profile.count
    for (limit, options, hasProfile) in [(sum, "", true), (sum - 1, "", false), (sum - 1, "--frame 0", true)] {
      try command.shell("./webp frames a.webp --force -o out --max-metadata \(limit) \(options)").expectSuccess()
      let chunks = try PNGReader([UInt8](command.read("out/a-0000.png"))).chunks
      #expect(chunks.contains { $0.type == "iCCP" } == hasProfile)
    }
  }

  @Test func metadataIsExtracted() throws {
    try command.bringWithMetadata(as: "a.webp")
    #expect(try command.webp("extract", "exif", "a.webp").output == Data("II*\0".utf8))
    #expect(try command.webp("extract", "xmp", "a.webp", "-o", "x").output.isEmpty)
    #expect(try command.read("x") == Data("<x/>".utf8))
    #expect(try command.webp("extract", "icc", "a.webp").output == Data(ICCProfile.bytes("RGB ")))
    try command.bring("encoder-cwebp-q75.webp", as: "b.webp")
    let nothing = try command.webp("extract", "icc", "b.webp", "-o", "y")
    #expect(nothing.status == 1 && nothing.errors == "webp: b.webp: the file has no icc\n")
    #expect(try command.files == ["a.webp", "b.webp", "x"])
  }

  /// The limit on metadata applies to decoding only.
  @Test func largeMetadataIsExtracted() throws {
    let size = WebP.Limits().maximumMetadataBytes + 2
    try command.bringWithMetadata(as: "a.webp", exif: Data(count: size))
    #expect(try command.shell("./webp extract exif a.webp | wc -c").text == "\(size)\n")
  }

  @Test(arguments: ["encoder-img2webp-animation.webp", "animation-lossy-alpha.webp", "animation-unknown-chunks.webp"])
  func framesAreExtracted(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let animation = try WebP.Animation(command.read("a.webp"))
    for index in 0..<animation.frameCount {
      let file = try command.webp("extract", "frame", "a.webp", "--frame", "\(index)").output
      try expectSame(WebP.decode(file).pixels, animation.image(ofFrame: index).pixels)
    }
    let none = try command.webp("extract", "frame", "a.webp", "--frame", "77")
    #expect(none.status == 1)
    #expect(none.errors == "webp: a.webp: there is no frame 77; it has \(animation.frameCount), counted from 0\n")
    let negative = try command.webp("extract", "frame", "a.webp", "--frame=-9223372036854775808")
    #expect(negative.status == 64 && negative.errors.contains("--frame"))
  }

  /// The second of two frames is corrupt: byte 1608 specifies an alpha compression that does not exist.
  @Test func allSubcommandsNumberFramesFromZero() throws {
    var bytes = try TestFile.vector("encoder-img2webp-animation.webp")
    bytes[1608] = 3
    try bytes.write(to: command.folder.appendingPathComponent("a.webp"))
    let result = try command.webp("frames", "a.webp")
    #expect(result.status == 1 && result.errors.contains("(frame 1, ALPH at byte 1608)"))
    #expect(try command.files == ["a.webp", "a-0000.png"])
    for (number, isSound) in [(0, true), (1, false)] {
      try command.webp("extract", "frame", "a.webp", "--frame", "\(number)", "-o", "frame.webp").expectSuccess()
      #expect(((try? WebP.decode(command.read("frame.webp"))) != nil) == isSound)
      #expect(try command.webp("frames", "a.webp", "--force", "--frame", "\(number)").status == (isSound ? 0 : 1))
    }
  }

  @Test func bareStreamsHaveNoFrames() throws {
    try command.bring("bare-vp8.webp", as: "a.webp")
    let result = try command.webp("extract", "frame", "a.webp", "-o", "frame.webp")
    #expect(result.status == 1 && result.errors.hasPrefix("webp: a.webp: unsupported: "))
    #expect(try command.files == ["a.webp"])
  }

  @Test(
    .needs("webpmux"), arguments: ["encoder-img2webp-animation.webp", "encoder-pillow-animation.webp"])
  func framesEqualThoseOfWebpmux(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    for number in 0...1 {
      try command.shell("webpmux -get frame \(number + 1) a.webp -o theirs").expectSuccess()
      #expect(try command.webp("extract", "frame", "a.webp", "--frame", "\(number)").output == command.read("theirs"))
    }
  }
}
