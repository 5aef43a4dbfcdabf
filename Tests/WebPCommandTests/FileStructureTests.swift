import Foundation
import TestComparison
import TestSupport
import Testing

@testable import webp

/// Proves that `webp info --chunks` lists chunks and header fields, and finds faults in the structure.
/// Expected values: headers that the tests write, and the verdicts of libwebp's webpinfo, if it is installed.
@Suite struct FileStructureTests {
  let command = try! Command()

  @Test func anExtendedFileIsListed() throws {
    try command.bringWithMetadata(as: "a.webp")
    let image = try TestFile.vector("encoder-cwebp-q75.webp").count - 20
    let exif = 170 + 8 + image
    let result = try command.webp("info", "--summary", "a.webp")
    result.expectSuccess()
    let size = try command.read("a.webp").count - 8
    func line(_ offset: Int, _ text: String) -> String {
      String(repeating: " ", count: 9 - "\(offset)".count) + "\(offset)  \(text)"
    }
    #expect(
      result.text.split(separator: "\n").map(String.init) == [
        "a.webp:", line(0, "RIFF  \(size) bytes"), line(12, "VP8X  10 bytes: 67 × 45, ICC profile, Exif, XMP"),
        line(30, "ICCP  132 bytes"), line(170, "VP8   \(image) bytes: 67 × 45"), line(exif, "EXIF  4 bytes"),
        line(exif + 12, "XMP   4 bytes"), "  chunks: 1 VP8X, 1 ICCP, 1 VP8, 1 EXIF, 1 XMP", "  valid structure",
      ])
  }

  @Test func framesAreListedWithTheirChunks() throws {
    let pixel = FileWriter.vp8LHeader(width: 1, height: 1)
    let frame: [UInt8] = [1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 70, 1, 0, 3] + FileWriter.chunk("VP8L", pixel)
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: 8, height: 9), FileWriter.chunk("ANIM", [4, 3, 2, 1, 5, 0]),
      FileWriter.chunk("ANMF", frame))
    try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
    let text = try command.webp("info", "--chunks", "a.webp").text
    #expect(text.contains("ANIM  6 bytes: loops 5, background color (ARGB) 01020304\n"), "\(text)")
    #expect(text.contains("ANMF  \(frame.count) bytes: 1 × 1 at 2, 4 for 326 ms, disposed\n"), "\(text)")
    #expect(text.contains("    VP8L  5 bytes: 1 × 1"), "\(text)")
  }

  @Test func faultsAreReported() throws {
    try command.bring("riff-cut-22-lossy.webp", as: "a.webp")
    let result = try command.webp("info", "--chunks", "a.webp")
    #expect(
      result.status == 1 && result.errors.hasPrefix("webp: a.webp: the file has 42 of 64 bytes"), "\(result.errors)")
    #expect(try command.webp("info", "--json", "--chunks", "a.webp").status == 64)
    let missing = try command.webp("info", "--chunks", "none.webp")
    #expect(missing.status == 1 && missing.errors == "webp: none.webp: No such file or directory\n")
  }

  @Test(arguments: ["ALPH", "VP8L"])
  func aStillImageAfterAFrameIsReported(name: String) throws {
    let pixel = FileWriter.vp8LHeader(width: 1, height: 1)
    let frame = [UInt8](repeating: 0, count: 16) + FileWriter.chunk("VP8L", pixel)
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: 1, height: 1), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]),
      FileWriter.chunk("ANMF", frame), FileWriter.chunk(name, pixel))
    try Data(file).write(to: command.folder.appendingPathComponent("a.webp"))
    let errors = try command.webp("info", "--chunks", "a.webp").errors
    #expect(errors.contains("a still image and an animation in one file (\(name) at byte "), "\(errors)")
  }

  #if os(Linux)
    /// The lines have five times as many bytes as the chunks. They are printed one by one, without accumulating them.
    @Test func memoryDoesNotGrowWithTheNumberOfChunks() throws {
      let picture = [UInt8](try TestFile.vector("encoder-cwebp-q75.webp").dropFirst(12))
      let (count, empty) = (200_000, FileWriter.chunk("EXIF", []))
      let chunks = repeatElement(empty, count: count).joined()
      for (name, more) in [("one", FileWriter.chunk("EXIF", Array(chunks.dropFirst(8)))), ("many", Array(chunks))] {
        try Data(FileWriter.riff(picture, more)).write(to: command.folder.appendingPathComponent("\(name).webp"))
      }
      func lines(_ input: String, kibibytes: Int) throws -> Int? {
        let result = try command.shell("ulimit -v \(kibibytes); exec ./webp info --chunks \(input).webp")
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
  #endif

  /// webpinfo does not look at the frame header beyond its size, so only the verdicts are compared.
  @Test(.needs("webpinfo")) func verdictsEqualThoseOfWebpinfo() throws {
    let script = """
      for file in '\(TestFile.vectors.path)'/*.webp; do
        if webpinfo -quiet "$file" > /dev/null 2>&1; then
          set -- "$@" "$file"
        else
          ./webp info --chunks "$file" > /dev/null 2>&1; ours=$?
          [ "$ours" = 1 ] || echo "${file##*/}: $ours instead of 1"
        fi
      done
      # One call for all valid files: each error is a line with the name of its file.
      errors=$(./webp info --chunks "$@" 2>&1 > /dev/null) || echo "$errors"
      """
    let differences = try command.shell(script).text
    #expect(differences.isEmpty, "\(differences)")
  }

}
