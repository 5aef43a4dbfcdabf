import Foundation
import TestSupport
import Testing

@testable import webp

/// Proves that webpinfo, and `webp info --chunks`, print the same lines as libwebp's webpinfo.
/// Expected values: lines that are written in the tests, and the output of webpinfo for all vectors if it is installed.
@Suite struct WebPInfoTests {
  let command: Command

  init() throws {
    command = try Command()
    try command.shell("ln -s webp webpinfo").expectSuccess()
  }

  @Test func anExtendedFileIsListed() throws {
    try command.bringWithMetadata(as: "a.webp")
    let size = try command.read("a.webp").count
    let pictureSize = try Command.vector("encoder-cwebp-q75.webp").count - 12
    let result = try command.shell("./webpinfo -summary a.webp")
    #expect(result.status == 0 && result.errors.isEmpty)
    let exif = 30 + 28 + pictureSize
    #expect(
      result.text == """
        File: a.webp
        RIFF HEADER:
          File size: \(pad(size))
        Chunk VP8X at offset     12, length     18
          ICCP: 1
          Alpha: 0
          EXIF: 1
          XMP: 1
          Animation: 0
          Canvas size 67 x 45
        Chunk ICCP at offset     30, length     28
        Chunk VP8  at offset     58, length \(pad(pictureSize))
          Width: 67
          Height: 45
          Alpha: 0
          Animation: 0
          Format: Lossy (1)
        Chunk EXIF at offset \(pad(exif)), length     12
        Chunk XMP  at offset \(pad(exif + 12)), length     12
        Summary:
        Number of frames: 1
        Chunk type  :  VP8 VP8L VP8X ALPH ANIM ANMF(VP8 /VP8L/ALPH) ICCP EXIF  XMP
        Chunk counts:    1    0    1    0    0    0    0    0    0     1    1    1 
        No error detected.

        """)
  }

  private func pad(_ number: Int) -> String { String(repeating: " ", count: 6 - "\(number)".count) + "\(number)" }

  @Test func corruptFilesAreReported() throws {
    try command.bring("riff-cut-22-lossy.webp", as: "a.webp")
    try command.bring("riff-lossy.webp", as: "b.webp")
    let broken = try command.shell("./webpinfo b.webp a.webp")
    #expect(broken.status == 1, "the status of the last file")
    #expect(broken.text.hasSuffix("Errors detected.\n") && broken.errors.isEmpty)
    #expect(try command.shell("./webpinfo a.webp b.webp").status == 0)
    let diagnosed = try command.shell("./webpinfo -quiet -diag a.webp")
    #expect(diagnosed.text.isEmpty)
    #expect(diagnosed.errors == "Error: Truncated data detected when parsing RIFF payload.\n")
    let missing = try command.shell("./webpinfo nothing.webp")
    #expect(missing.status == 1)
    #expect(missing.errors == "cannot open input file 'nothing.webp'\nFailed to open input file nothing.webp.\n")
    #expect(try command.shell("./webpinfo").status == 1)
    #expect(try command.shell("./webpinfo -version").text == "WebP Decoder version: 1.6.0\n")

    let own = try command.webp("info", "--chunks", "a.webp")
    #expect(own.status == 1 && own.errors == "webp: a.webp: \(diagnosed.errors)")
    #expect(try command.webp("info", "-diag", "-bitstream_info", "b.webp").text.contains("Parsing lossy bitstream..."))
    #expect(try command.webp("info", "--json", "--chunks", "b.webp").status == 64)
  }

  @Test(arguments: [("ALPH", "ALPHA chunk"), ("VP8L", "VP8/VP8L chunk")])
  func aStillImageAfterAFrameIsReported(name: String, chunk: String) throws {
    let pixel = FileWriter.vp8LHeader(width: 1, height: 1)
    let frame = [UInt8](repeating: 0, count: 16) + FileWriter.chunk("VP8L", pixel)
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: 1, height: 1), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]),
      FileWriter.chunk("ANMF", frame), FileWriter.chunk(name, pixel))
    try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
    let result = try command.shell("./webpinfo -quiet -diag a.webp")
    #expect(result.errors == "Error: \(chunk) and ANIM/ANMF chunk are both detected.\n")
  }

  #if os(Linux)
    @Test(arguments: ["webpinfo a.webp", "webpinfo -h", "dwebp -h", "dwebp -version", "anim_dump -version"])
    func aFullDiskIsReported(_ words: String) throws {
      try command.bring("riff-lossy.webp", as: "a.webp")
      try command.shell("ln -s webp anim_dump").expectSuccess()
      let result = try command.shell("./\(words) > /dev/full")
      #expect(result.status == 1 && result.errors == "webp: standard output: No space left on device\n")
    }

    /// The lines have five times as many bytes as the chunks. They are printed one by one, without accumulating them.
    @Test(arguments: ["webpinfo", "webp info --chunks"])
    func memoryDoesNotGrowWithTheNumberOfChunks(_ words: String) throws {
      let picture = [UInt8](try Command.vector("encoder-cwebp-q75.webp").dropFirst(12))
      let (count, empty) = (200_000, FileWriter.chunk("EXIF", []))
      let chunks = repeatElement(empty, count: count).joined()
      for (name, more) in [("one", FileWriter.chunk("EXIF", Array(chunks.dropFirst(8)))), ("many", Array(chunks))] {
        try Data(FileWriter.riff(picture, more)).write(to: command.folder.appendingPathComponent("\(name).webp"))
      }
      func lines(_ input: String, kibibytes: Int) throws -> Int? {
        let result = try command.shell("ulimit -v \(kibibytes); exec ./\(words) \(input).webp")
        return result.status == 0 ? result.output.count { $0 == UInt8(ascii: "\n") } : nil
      }
      var (tooLittle, enough) = (0, 1 << 22)
      // Sanitizers reserve more memory than this.
      guard let few = try lines("one", kibibytes: enough) else { return }
      while enough - tooLittle > 1 << 10 {
        let middle = (enough + tooLittle) / 2
        if try lines("one", kibibytes: middle) == nil { tooLittle = middle } else { enough = middle }
      }
      #expect(try lines("many", kibibytes: enough + 4 << 10) == few + count - 1)
    }

    /// Other systems reject file names that are not UTF-8.
    @Test func namesThatAreNotUTF8ArePrintedUnchanged() throws {
      let name = Data("caf".utf8) + [0xE9] + Data(".webp".utf8)
      try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
      try command.shell("ln -s webp anim_dump; cp a.webp $(printf 'caf\\351.webp')").expectSuccess()
      for (tool, start) in [("webpinfo", "File: "), ("anim_dump", "Decoding file: ")] {
        let result = try command.shell("./\(tool) $(printf 'caf\\351.webp')")
        result.expectSuccess()
        #expect(result.output.starts(with: Data(start.utf8) + name))
      }
    }
  #endif

  /// Compares standard output and standard error for all vectors in one call, including corrupt ones.
  @Test(.enabled(if: Self.hasReference), arguments: ["", "-diag -summary -bitstream_info", "-quiet -diag -summary"])
  func linesEqualThoseOfWebpinfo(_ options: String) throws {
    let ours = try command.shell("./webpinfo \(options) '\(Command.vectors.path)'/*.webp")
    let theirs = try command.shell("\(Self.reference) \(options) '\(Command.vectors.path)'/*.webp")
    let lines = (ours.text.split(separator: "\n"), theirs.text.split(separator: "\n"))
    #expect(lines.0.count == lines.1.count && lines.0.count > (options.hasPrefix("-quiet") ? 1 : 1000))
    for (number, (line, reference)) in zip(lines.0, lines.1).enumerated() where line != reference {
      Issue.record("line \(number): \(line) instead of \(reference)")
      return
    }
    #expect(ours.errors == theirs.errors)
    #expect(ours.status == min(theirs.status, 1))
  }

  static let reference = "/usr/bin/webpinfo"
  static var hasReference: Bool {
    ProcessInfo.processInfo.environment["CI"] != nil || FileManager.default.isExecutableFile(atPath: reference)
  }
}
