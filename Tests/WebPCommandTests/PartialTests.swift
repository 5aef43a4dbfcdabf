import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

/// Proves that `--partial` writes or shows exactly the complete part of a truncated or corrupt file.
/// Expected values: the rows and frames of the complete file, decoded by the library.
@Suite struct PartialTests {
  let command = try! Command()

  /// Writes the first 70 % of an image's bytes, which contain some of its rows, to the folder.
  private func bringTruncatedImage(_ vector: String) throws -> WebP.Image {
    let bytes = try TestFile.vector(vector)
    try bytes.prefix(bytes.count * 7 / 10).write(to: command.folder.appendingPathComponent("a.webp"))
    return try WebP.decode(bytes)
  }

  /// Writes an animation to the folder. Its first two frames are complete. The file ends within the third frame, or the
  /// third of four frames is corrupt.
  ///
  /// - Returns: the complete frames.
  private func bringAnimation(isCut: Bool) throws -> [WebP.Image] {
    if !isCut {
      let bytes = try TestFile.vector("animation-third-frame-broken.webp")
      try bytes.write(to: command.folder.appendingPathComponent("a.webp"))
      let animation = try WebP.Animation(bytes)
      return try [0, 1].map { try animation.frame(at: $0).image }
    }
    let bytes = try TestFile.vector("animation-corners-lossless.webp")
    let animation = try WebP.Animation(bytes)
    let cut = animation.frames[2].bytes.lowerBound + 20
    try bytes.prefix(cut).write(to: command.folder.appendingPathComponent("a.webp"))
    return try [0, 1].map { try animation.frame(at: $0).image }
  }

  private func parts(isCut: Bool) -> String { isCut ? "2 of an unknown number of frames" : "2 of 4 frames" }

  @Test(
    arguments: ["encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6.webp"],
    ["-o o.pam", "-f pam -o -", "-o o.pam --flip", "-o o.png"])
  func finishedRowsAreWritten(_ vector: String, _ options: String) throws {
    let complete = try bringTruncatedImage(vector)
    let refused = try command.shell("./webp decode a.webp \(options)")
    #expect(refused.status == 1 && refused.output.isEmpty)
    #expect(refused.errors.hasSuffix("; --partial writes the complete part\n"))
    #expect(try command.files == ["a.webp"])

    let result = try command.shell("./webp decode --partial a.webp \(options)")
    #expect(result.status == 1)
    let message = try #require(result.errors.firstMatch(of: /^webp: a.webp: truncated: .*; wrote (\d+) of 45 rows\n$/))
    let count = try #require(Int(message.output.1))
    #expect(1..<45 ~= count)
    let pixels: [UInt8]
    if options.contains("png") {
      pixels = try PNGReader([UInt8](command.read("o.png"))).pixels
    } else {
      let file = try options.hasSuffix("-o -") ? result.output : command.read("o.pam")
      pixels = [UInt8](file.suffix(67 * 45 * 4))
    }
    for row in 0..<45 {
      let stored = Array(complete.pixels[row * 67 * 4..<(row + 1) * 67 * 4])
      let place = options.contains("--flip") ? 44 - row : row
      let written = Array(pixels[place * 67 * 4..<(place + 1) * 67 * 4])
      #expect(written == (row < count ? stored : [UInt8](repeating: 0, count: 67 * 4)))
    }
  }

  @Test(arguments: [true, false])
  func completeFramesAreWrittenAsAPNG(_ isCut: Bool) throws {
    let expected = try bringAnimation(isCut: isCut)
    let refused = try command.webp("decode", "a.webp")
    #expect(refused.status == 1 && refused.errors.hasSuffix("; --partial writes the complete part\n"))
    #expect(try command.files == ["a.webp"])
    #expect(try command.webp("decode", "a.webp", "-o", "-").output.isEmpty, "nothing is written to a pipe")
    let result = try command.webp("decode", "--partial", "a.webp")
    #expect(result.status == 1 && result.errors.hasSuffix("; wrote \(parts(isCut: isCut))\n"))
    let frames = try APNGReader([UInt8](command.read("a.png"))).frames
    #expect(frames.count == 2)
    for (frame, image) in zip(frames, expected) { expectSame(visible(frame.canvas), visible(Array(image.pixels))) }
  }

  /// A PNG's transparent pixels may have any color.
  private func visible(_ pixels: [UInt8]) -> [[UInt8]] {
    stride(from: 0, to: pixels.count, by: 4).map { pixels[$0 + 3] == 0 ? [] : Array(pixels[$0..<$0 + 4]) }
  }

  @Test(arguments: [true, false])
  func framesBeforeTheFaultAreWritten(_ isCut: Bool) throws {
    let expected = try bringAnimation(isCut: isCut)
    let result = try command.webp("frames", "a.webp", "-f", "pam")
    #expect(result.status == 1 && result.errors.hasSuffix("; wrote \(parts(isCut: isCut))\n"))
    #expect(try command.files == ["a.webp", "a-0000.pam", "a-0001.pam"])
    for (index, image) in expected.enumerated() {
      #expect(try command.read("a-000\(index).pam").suffix(image.pixels.count) == Data(image.pixels))
    }
    // Selecting a complete frame succeeds.
    for (words, status) in [
      ("frames --frame 1 --force", 0), ("frames --frame 2", 1), ("decode --partial --frame 1 -o b.pam", 0),
      ("decode --partial --frame 2", 1), ("decode --frame 2", 1), ("decode --partial -o c.bmp", 0),
    ] {
      #expect(try command.shell("./webp \(words) a.webp").status == status, "\(words)")
    }
    #expect(try command.read("b.pam") == command.read("a-0001.pam"))
    #expect(try command.files == ["a.webp", "a-0000.pam", "a-0001.pam", "a-0001.png", "b.pam", "c.bmp"])
  }

  @Test func nothingIsWrittenIfNothingIsComplete() throws {
    for vector in ["animation-frame-broken.webp", "animation-file-cut-in-first.webp", "riff-text.webp"] {
      try command.bring(vector, as: "a.webp")
      for words in ["frames", "decode --partial", "decode --partial -f bmp", "view --protocol cells --partial"] {
        let result = try command.shell("./webp \(words) a.webp")
        #expect(result.status == 1 && !result.errors.contains(" of "), "\(result.errors)")
        #expect(!result.text.contains("▀"))
      }
    }
    #expect(try command.files == ["a.webp"])
  }

  /// The first 20 bytes end in the image's header.
  @Test(arguments: [0, 11, 20]) func partialIsNotAdvisedWithoutHeaders(_ length: Int) throws {
    try TestFile.vector("encoder-cwebp-q75.webp").prefix(length).write(
      to: command.folder.appendingPathComponent("a.webp"))
    for words in ["decode", "view --protocol cells"] {
      let result = try command.shell("./webp \(words) a.webp")
      #expect(result.status == 1 && result.errors.contains("truncated"), "\(result.errors)")
      #expect(!result.errors.contains("--partial"))
    }
  }

  /// Files without any complete row or frame: a header without an image, an animation without frames, and a lossless
  /// image of 44 × 44 pixels without data.
  @Test func partialLeavesNoFileIfNothingIsComplete() throws {
    let files: [[UInt8]] = [
      FileWriter.riff(FileWriter.vp8X(flags: 0, width: 9, height: 9)),
      FileWriter.riff(FileWriter.vp8X(flags: 2, width: 9, height: 9), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0])),
      FileWriter.riff(FileWriter.chunk("VP8L", [0x2F, 0x2B, 0xC0, 0x0A, 0x00, 0x00])),
    ]
    for file in files {
      try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
      for words in ["decode", "decode -f bmp", "view --protocol cells"] {
        let partial = try command.shell("./webp \(words) --partial a.webp")
        #expect(partial.status == 1 && !partial.errors.contains(" of "))
      }
      #expect(try command.files == ["a.webp"])
    }
  }

  /// The rows of the file are counted, although the terminal shows fewer.
  @Test func shownRowsAreRowsOfTheFile() throws {
    let file = try TestFile.vector("alpha-large.webp")
    try file.dropLast(400).write(to: command.folder.appendingPathComponent("a.webp"))
    for words in ["view --protocol cells --columns 20", "decode -o x.png --resize 50%"] {
      let result = try command.shell("./webp \(words) --partial a.webp")
      #expect(result.errors.contains(/(showed|wrote) \d+ of 100 rows/), "\(result.errors)")
    }
  }

  @Test func partsAreShown() throws {
    _ = try bringTruncatedImage("encoder-cwebp-lossless-z6.webp")
    let refused = try command.webp("view", "--protocol", "cells", "a.webp")
    #expect(refused.status == 1 && refused.output.isEmpty)
    #expect(refused.errors.hasSuffix("; --partial shows the complete part\n"))
    let image = try command.webp("view", "--protocol", "cells", "--partial", "a.webp")
    #expect(image.status == 1 && image.text.contains("▀") && image.errors.contains(/; showed \d+ of \d+ rows\n$/))

    _ = try bringAnimation(isCut: true)
    let cut = try command.webp("view", "--protocol", "cells", "a.webp")
    #expect(cut.status == 1 && cut.output.isEmpty)
    #expect(cut.errors.hasSuffix("; --partial shows the complete part\n"))
  }

  /// A corrupt frame is detected when it is decoded. A truncated file is detected earlier, and shown only with
  /// `--partial`.
  @Test(arguments: [(true, "--partial"), (false, "--partial"), (false, "")])
  func aFaultEndsAnAnimation(_ isCut: Bool, _ options: String) throws {
    _ = try bringAnimation(isCut: isCut)
    let animation = try command.shell("./webp view --protocol cells --loops 3 \(options) a.webp")
    #expect(animation.status == 1 && animation.errors.hasSuffix("; showed \(parts(isCut: isCut))\n"))
    #expect(animation.text.matches(of: /A\r/).count == 1, "two frames are shown once")
    #expect(animation.text.hasSuffix("\u{1B}[?25h"), "the cursor is visible")
  }
}
