import Foundation
import PureWebP
import TestSupport
import Testing

@testable import webp

/// Proves that `webp decode` writes the correct files and reports errors.
/// Expected values: images that the library decodes, and texts that are written in the tests.
@Suite struct DecodeCommandTests {
  let command = try! Command(with: "encoder-cwebp-q75.webp")

  @Test func theDefaultOutputIsAPNGNextToTheInput() throws {
    let result = try command.webp("decode", "a.webp")
    #expect(result.status == 0)
    #expect(result.errors.isEmpty && result.output.isEmpty, "nothing is printed without a terminal")
    #expect(try command.files == ["a.webp", "a.png"])
    #expect(try command.read("a.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func onlyNamedFilesAreReplaced() throws {
    try command.write("mine", to: "a.png")
    let refused = try command.webp("decode", "a.webp")
    #expect(refused.status == 1)
    #expect(refused.errors == "webp: a.webp: a.png exists already; --force replaces it, -o names another output\n")
    #expect(try command.read("a.png") == Data("mine".utf8))

    #expect(try command.webp("decode", "a.webp", "--force").status == 0)
    #expect(try command.read("a.png").count > 100)
    try command.write("mine", to: "a.png")
    #expect(try command.webp("decode", "a.webp", "-o", "a.png").status == 0)
    #expect(try command.read("a.png").count > 100)
  }

  @Test(arguments: [
    ("o.png", "\u{89}PNG"), ("o.PAM", "P7\n"), ("o.ppm", "P6\n"), ("o.pgm", "P5\n"), ("o.bmp", "BM"), ("o.tiff", "II*"),
    ("o.tif", "II*"), ("o", "\u{89}PNG"),
  ])
  func theExtensionDeterminesTheFormat(_ name: String, _ magic: String) throws {
    #expect(try command.webp("decode", "a.webp", "-o", name).status == 0)
    #expect(try command.read(name).starts(with: magic.unicodeScalars.map { UInt8($0.value) }))
  }

  @Test func formatOptionsOverrideTheExtension() throws {
    let pam = try command.webp("decode", "a.webp", "-fpam", "-o", "-").output
    #expect(pam.starts(with: Data("P7\n".utf8)))
    #expect(try command.webp("decode", "--format", "pam", "a.webp", "--output", "-").output == pam)
    #expect(try command.webp("decode", "-f", "pam", "a.webp", "-o", "o.bmp").status == 0)
    #expect(try command.read("o.bmp") == pam)
    #expect(try command.webp("decode", "-fbmp", "-fpam", "a.webp", "-o", "-").output == pam, "the last option is used")
    let unknown = try command.webp("decode", "a.webp", "-o", "o.jpeg")
    #expect(unknown.status == 64 && unknown.errors.contains("o.jpeg: webp does not write JPEG files"))
    #expect(try command.files == ["a.webp", "o.bmp"])
  }

  @Test func pipesAreReadAndWritten() throws {
    let picture = try TestFile.vector("encoder-cwebp-q75.webp")
    let result = try command.webp("decode", "-", "-o", "-", input: picture)
    #expect(result.status == 0)
    try picture.write(to: command.folder.appendingPathComponent("a.webp"))
    #expect(try command.webp("decode", "a.webp").status == 0)
    #expect(try command.read("a.png") == result.output)
    #expect(try command.webp("decode", "-", input: picture).output == result.output)
  }

  /// The PNG for a stream is complete before its first byte is written. Rows are oriented only if the file is rotated.
  @Test(arguments: ["", "--upright", "--upright --flip"])
  func streamsHaveTheBytesOfFiles(_ words: String) throws {
    for exif in [Exif.turnedRight, Exif.turnedRight.map { $0 == 6 ? 1 : $0 }, [1]] {
      try command.bringWithMetadata(as: "a.webp", exif: Data(exif))
      try command.shell("./webp decode a.webp \(words) -o a.png; ./webp decode a.webp \(words) --partial -o b.png")
        .expectSuccess()
      #expect(try command.shell("./webp decode a.webp \(words) -o -").output == command.read("a.png"))
      let pngs = try ["a.png", "b.png"].map { try PNGReader([UInt8](command.read($0))) }
      #expect(pngs[0].chunks.map(\.payload) == pngs[1].chunks.map(\.payload))
      try command.shell("rm a.png b.png; head -c 900 a.webp > cut.webp").expectSuccess()
      let cut = try command.shell("./webp decode cut.webp \(words) -o -")
      #expect(cut.status == 1 && cut.output.isEmpty)
    }
  }

  @Test func theFileDoesNotDependOnTheNumberOfThreads() throws {
    for (vector, name) in [("vp8l-large.webp", "a.webp"), ("animation-random-7.webp", "b.webp")] {
      try command.bring(vector, as: name)
      let expected = try command.webp("decode", name, "--threads", "1", "-o", "-").output
      #expect(expected.count > 1000)
      #expect(try command.webp("decode", name, "-o", "-").output == expected)
      #expect(try command.webp("decode", name, "--threads", "7", "-o", "-").output == expected)
    }
    #expect(try command.webp("decode", "a.webp", "--threads", "0").status == 64)
  }

  @Test(arguments: [("1", 1), ("256", 256), ("257", 256), ("3000000", 256), ("9223372036854775807", 256)])
  func theNumberOfThreadsIsBounded(_ number: String, _ expected: Int) throws {
    #expect(try ResourceOptions.parse(["--threads", number]).threadCount == .atMost(expected))
  }

  /// Rows are written to a file as they are decoded, but to a pipe after all of them are decoded.
  @Test func filesAndStandardOutputGetTheSameBytes() throws {
    for (vector, more) in [
      ("encoder-cwebp-q75", ""), ("encoder-cwebp-q75", "--crop 8,8,20,30"), ("encoder-cwebp-q75", "--fit 40x40"),
      ("alpha-large", ""), ("alpha-large", "--level 1 --threads 1"), ("alpha-palette-256-none", ""),
      ("vp8l-large", ""), ("vp8l-large", "--flip"),
    ] {
      try command.bring("\(vector).webp", as: "a.webp")
      let expected = try command.shell("./webp decode a.webp -o - \(more)").output
      #expect(expected.count > 100)
      #expect(try command.shell("./webp decode a.webp -o o.png \(more)").status == 0)
      #expect(try command.read("o.png") == expected)
    }
  }

  @Test func aTruncatedImageLeavesNoFile() throws {
    try command.bring("alpha-large.webp", as: "a.webp")
    let file = try command.read("a.webp")
    guard let start = file.range(of: Data("VP8 ".utf8))?.upperBound else { throw CocoaError(.fileReadCorruptFile) }
    // A bare VP8 stream has no size field, so only its token partition is truncated.
    try file[(start + 4)...].prefix(file.count * 3 / 4 - start)
      .write(to: command.folder.appendingPathComponent("a.webp"))
    let result = try command.webp("decode", "a.webp", "-o", "o.png")
    #expect(result.status == 1 && result.errors.contains("token partition is truncated"))
    #expect(try command.files == ["a.webp"])
    let piped = try command.webp("decode", "a.webp", "-o", "-")
    #expect(piped.status == 1 && piped.output.isEmpty)
  }

  @Test(arguments: ["riff-cut-22-lossy.webp", "riff-empty.webp", "riff-text.webp", "riff-first-8-bytes.webp"])
  func invalidFilesLeaveNoOutput(_ vector: String) throws {
    try command.bring(vector, as: "a.webp")
    let result = try command.webp("decode", "a.webp", "-o", "o.png")
    #expect(result.status == 1)
    #expect(result.errors.hasPrefix("webp: a.webp: "))
    #expect(result.errors.contains("at byte"))
    #expect(try command.files == ["a.webp"])
    try command.write("mine", to: "o.png")
    #expect(try command.webp("decode", "a.webp", "-o", "o.png").status == 1)
    #expect(try command.read("o.png") == Data("mine".utf8))
  }

  @Test func failedWritesLeaveNoFile() throws {
    try command.write("mine", to: "o.bmp")
    // The shell limits files to one block, so the system ends the process in the middle of the file.
    let killed = try command.shell("ulimit -f 1; exec ./webp decode a.webp -o o.bmp")
    #expect(killed.status != 0)
    #expect(try command.files == ["a.webp", "o.bmp"])
    #expect(try command.read("o.bmp") == Data("mine".utf8))
    let ignoring = try command.shell("trap '' XFSZ; ulimit -f 1; exec ./webp decode a.webp -o new.bmp")
    #expect(ignoring.status == 75 && ignoring.errors == "webp: new.bmp: File too large\n")
    #expect(try command.files == ["a.webp", "o.bmp"])

    let nowhere = try command.webp("decode", "a.webp", "-o", "no/such/folder.png")
    #expect(nowhere.status == 1)
    #expect(nowhere.errors == "webp: no/such/folder.png: there is no folder no/such\n")
  }

  /// An earlier process with the same identifier may have left the file, or another user may have created it.
  @Test(arguments: ["echo stale >", "ln -s other", "ln -s missing"])
  func anExistingTemporaryFileIsNotUsed(_ create: String) throws {
    try command.write("precious", to: "other")
    let result = try command.shell("\(create) .webp-$$-0.part; exec ./webp decode a.webp")
    #expect(result.status == 0)
    #expect(try command.read("a.png").starts(with: [0x89, 0x50, 0x4E, 0x47]))
    #expect(try command.read("other") == Data("precious".utf8))
    #expect(try command.files.count == 4)
  }

  @Test func uprightAppliesTheExifOrientation() throws {
    try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
    let stored = try command.webp("decode", "-fppm", "a.webp", "-o", "-").output
    let upright = try command.webp("decode", "-fppm", "--upright", "a.webp", "-o", "-").output
    let (header, orientedHeader) = ("P6\n67 45\n255\n".utf8.count, "P6\n45 67\n255\n")
    #expect(stored.count == upright.count && upright.starts(with: orientedHeader.utf8))
    // The left column from the bottom up becomes the first row.
    for x in 0..<45 {
      let (from, to) = (header + (44 - x) * 67 * 3, orientedHeader.utf8.count + 3 * x)
      #expect(stored[from..<from + 3].elementsEqual(upright[to..<to + 3]))
    }
    #expect(try command.webp("info", "a.webp").text.contains("orientation: right"))
    for (option, size) in [("--resize=100x200", "100 200"), ("--resize=90x", "90 134"), ("--fit=30x1000", "30 45")] {
      let scaled = try command.webp("decode", "-fppm", "--upright", option, "a.webp", "-o", "-").output
      #expect(scaled.starts(with: "P6\n\(size)\n".utf8), "\(option)")
    }
    let flipped = try command.webp("decode", "-fppm", "--upright", "--flip", "a.webp", "-o", "-").output
    let rows = stride(from: orientedHeader.utf8.count, to: upright.count, by: 45 * 3).map { upright[$0..<$0 + 45 * 3] }
    // The stored image is flipped, and then rotated.
    let mirrored = rows.map { row in
      stride(from: row.startIndex, to: row.endIndex, by: 3).reversed().flatMap { row[$0..<$0 + 3] }
    }
    #expect(flipped.dropFirst(orientedHeader.utf8.count) == Data(mirrored.joined()))
  }

  @Test func optionsOfDwebpHaveTheSameEffect() throws {
    func pixels(_ arguments: String) throws -> Data {
      try command.shell("./webp decode -f ppm \(arguments) -o -").output
    }
    try command.bring("encoder-cwebp-q0.webp", as: "a.webp")
    try command.bring("options-dither-segments.webp", as: "b.webp")
    for (ours, theirs) in [
      ("--no-fancy a.webp", "-nofancy a.webp"), ("--no-filter a.webp", "-nofilter a.webp"),
      ("--dither 80 b.webp", "-dither 80 b.webp"), ("--resize 20x a.webp", "-resize 20 0 a.webp"),
      ("--resize 20x a.webp", "-scale 20 0 a.webp"),
    ] {
      #expect(try pixels(ours) != pixels(ours.suffix(6).description))
      #expect(try command.shell("./dwebp -quiet -nodither -ppm \(theirs) -o -").output == pixels(ours))
    }
  }

  #if os(Linux)
    /// The image of 16384 × 16384 pixels needs 805 MB. The batch continues with the other file.
    @Test(arguments: ["-v", "-d"]) func imagesBeyondTheResourceLimitsAreReported(_ limit: String) throws {
      try command.bring("vp8l-attack-few-bytes-16384x16384.webp", as: "huge.webp")
      let limited = "exec bash -c 'ulimit \(limit) 500000; exec"
      let result = try command.shell("\(limited) ./webp decode --no-limits huge.webp a.webp -o out/'")
      #expect(result.status == 75 && result.errors.hasPrefix("webp: huge.webp: needs "), "\(result.errors)")
      #expect(try command.shell("ls out").text == "a.png\n")
      let frames = try command.shell("\(limited) ./webp frames --no-limits huge.webp -o out/'")
      #expect(frames.status == 75 && frames.errors.hasPrefix("webp: huge.webp: needs "))
    }

    /// The photo of 67 × 45 pixels becomes 9,000 × 13,400 pixels. Before and after its rotation, these are 724 MB. A
    /// stored photo of the width 9,000 would have 326 MB.
    @Test func rotatedImagesBeyondTheResourceLimitsAreReported() throws {
      try command.bringWithMetadata(as: "a.webp", exif: Data(Exif.turnedRight))
      let words = "decode --no-limits --upright --resize 9000 a.webp -o a.png"
      let result = try command.shell("exec bash -c 'ulimit -d 500000; exec ./webp \(words)'")
      #expect(result.status == 75 && result.errors.hasPrefix("webp: a.webp: needs "), "\(result.errors)")
    }

    /// Memory is exhausted during decoding or during writing. The test uses one thread, because libdispatch retries
    /// forever if there is no memory for another thread.
    @Test func outOfMemoryLeavesNoFile() throws {
      try command.bring("vp8l-attack-few-bytes-1000x1000.webp", as: "large.webp")
      try command.write("mine", to: "mine.png")
      func status(_ input: String, _ output: String, kibibytes: Int) throws -> Int32 {
        try command.shell("ulimit -v \(kibibytes); exec ./webp decode --threads 1 \(input) -o \(output)").status
      }
      // Binary search for the memory limit, in KiB, at which the program can just decode a small image.
      var (tooLittle, enough) = (0, 1 << 24)
      while enough - tooLittle > 256 {
        let middle = (enough + tooLittle) / 2
        if try status("a.webp", "-", kibibytes: middle) == 0 { enough = middle } else { tooLittle = middle }
      }
      for more in stride(from: 0, through: 3 << 10, by: 512) {
        #expect(try status("large.webp", "mine.png", kibibytes: enough + more) != 0)
        #expect(try status("large.webp", "new.bmp", kibibytes: enough + more) != 0)
        #expect(try command.files.sorted() == ["a.webp", "large.webp", "mine.png"])
        #expect(try command.read("mine.png") == Data("mine".utf8))
      }
    }
  #endif
}
