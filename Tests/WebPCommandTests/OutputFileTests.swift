// Tests of writing to pipes and links, and of failed writes. These tests do not write to devices:
// with a fault in the command, a test that runs as root would replace the device. Pipes are treated in the same way.

import Foundation
import Testing

/// Proves that output files are complete or absent, that pipes are written to, and that links are followed.
/// Expected values: the bytes that the command writes to standard output.
@Suite struct OutputFileTests {
  let command = try! Command()

  /// The command lines that write a file, without its name.
  static let writers = ["decode -f ppm a.webp -o", "extract frame animation.webp -o"]

  init() throws {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    try command.bring("encoder-img2webp-animation.webp", as: "animation.webp")
  }

  /// The expected contents of the file, which the command also writes to standard output.
  private func expected(_ writer: String) throws -> Data {
    let result = try command.shell("./webp \(writer) -")
    result.expectSuccess()
    #expect(result.output.count > 500)
    return result.output
  }

  private func target(_ link: String) throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: command.folder.path + "/" + link)
  }

  @Test(arguments: writers)
  func pipesAreWrittenInPlace(_ writer: String) throws {
    // If the pipe were replaced or never opened, its reader would wait forever.
    let result = try command.shell(
      """
      mkfifo pipe; cat pipe > got & reader=$!
      ./webp \(writer) pipe; status=$?
      [ $status = 0 ] && [ -p pipe ] || kill $reader
      wait $reader; [ -p pipe ] && exit $status
      """)
    result.expectSuccess()
    #expect(try command.read("got") == expected(writer))
  }

  @Test(arguments: writers)
  func linksAreFollowedAndKept(_ writer: String) throws {
    let expected = try expected(writer)
    try command.shell("mkdir d; echo old > real; ln -s ../real d/link; ./webp \(writer) d/link").expectSuccess()
    #expect(try target("d/link") == "../real")
    #expect(try command.read("real") == expected)
    #expect(try command.shell("ls d").text == "link\n")
  }

  @Test(arguments: writers)
  func missingTargetsOfLinksAreCreated(_ writer: String) throws {
    let expected = try expected(writer)
    try command.shell("mkdir d e; ln -s e/new d/../link; ln -s ../link d/chain").expectSuccess()
    try command.shell("./webp \(writer) d/chain").expectSuccess()
    #expect(try target("d/chain") == "../link" && target("link") == "e/new")
    #expect(try command.read("e/new") == expected)
    #expect(try command.shell("ls d e").text == "d:\nchain\n\ne:\nnew\n")
  }

  @Test(arguments: writers)
  func invalidLinksAreReported(_ writer: String) throws {
    let before = try command.files
    try command.shell("ln -s loop loop; ln -s no/such nowhere").expectSuccess()
    for (link, reason) in [("loop", "Too many levels of symbolic links"), ("nowhere", "there is no folder ./no")] {
      let result = try command.shell("./webp \(writer) \(link)")
      #expect(result.status == 1 && result.errors == "webp: \(link): \(reason)\n")
    }
    #expect(try target("loop") == "loop" && target("nowhere") == "no/such")
    #expect(try command.files == before.union(["loop", "nowhere"]))
  }

  /// A derived file name may be a link to another file.
  @Test(arguments: [("decode a.webp", "a.png"), ("frames --frame 0 a.webp", "a-0000.png")])
  func brokenLinksCountAsExistingFiles(_ words: String, _ name: String) throws {
    try command.shell("ln -s real \(name)").expectSuccess()
    let refused = try command.shell("./webp \(words)")
    #expect(refused.status == 1 && refused.errors.contains("\(name) exists already"))
    #expect(try !command.files.contains("real"))
    try command.shell("./webp \(words) --force").expectSuccess()
    #expect(try target(name) == "real")
    #expect(try command.read("real").starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test(arguments: writers)
  func linksToStandardOutputAreWrittenInPlace(_ writer: String) throws {
    let expected = try expected(writer)
    #expect(try command.shell("ln -s /dev/fd/1 out; ./webp \(writer) out | cat").output == expected)
    #expect(try target("out") == "/dev/fd/1")
  }

  #if os(Linux)
    @Test(arguments: writers)
    func aFullDiskIsReported(_ writer: String) throws {
      let result = try command.shell("./webp \(writer) - >/dev/full")
      #expect(result.status == 75 && result.errors == "webp: standard output: No space left on device\n")
    }
  #endif

  @Test(arguments: ["decode - -o -", "info -"])
  func aClosedInputIsReported(_ words: String) throws {
    let result = try command.shell("./webp \(words) <&-")
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.errors == "webp: standard input: Bad file descriptor\n")
  }

  /// The system reuses the number of a closed stream for the next open file. Output for the stream must not be written
  /// to that file, and the file must not be treated as the stream.
  @Test(arguments: writers, [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
  func closedStreamsAreNotConfusedWithFiles(_ writer: String, _ closing: String) throws {
    let expected = try command.shell("./webp \(writer) -").output
    #expect(expected.count > 500)
    try command.shell("./webp \(writer) out \(closing)").expectSuccess()
    #expect(try command.read("out") == expected)
  }
}
