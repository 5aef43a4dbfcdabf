// Tests of outputs that are paths of open descriptors, such as /dev/fd/1. These tests do not use /dev/stdout itself:
// with a fault in the command, a test that runs as root would replace it. Links in the test's folder are used instead.

import Foundation
import TestSupport
import Testing

/// Proves that output to open descriptors is complete or absent.
/// Expected values: the bytes that the command writes to files.
@Suite struct OutputStreamTests {
  let command = try! Command()

  private func bringInputs() throws -> Data {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    try command.bring("encoder-img2webp-animation.webp", as: "animation.webp")
    try command.shell("ln -s /dev/fd/1 link; ln -s link chain; ln -s /dev/fd numbers").expectSuccess()
    return try command.webp("decode", "-f", "ppm", "a.webp", "-o", "-").output
  }

  static let names = ["/dev/fd/1", "link", "chain", "numbers/1"]

  @Test(arguments: names)
  func existingContentsOfADescriptorAreKept(_ name: String) throws {
    let picture = try bringInputs()
    try command.shell("echo precious > log; ./webp decode -f ppm a.webp -o \(name) >> log").expectSuccess()
    #expect(try command.read("log") == Data("precious\n".utf8) + picture)
  }

  @Test(arguments: names)
  func outputKeepsItsPositionBetweenOtherOutputs(_ name: String) throws {
    let picture = try bringInputs()
    try command.shell("{ echo header; ./webp decode -f ppm a.webp -o \(name); echo trailer; } > all").expectSuccess()
    #expect(try command.read("all") == Data("header\n".utf8) + picture + Data("trailer\n".utf8))
  }

  @Test(arguments: OutputFileTests.writers + ["frames --frame 0 animation.webp -o", "decode a.webp -o"])
  func allWritersSupportAllDescriptors(_ writer: String) throws {
    _ = try bringInputs()
    let expected = try command.shell("./webp \(writer) -").output
    #expect(expected.count > 500)
    try command.shell("echo precious > log; exec 7>>log; ./webp \(writer) /dev/fd/7; echo more >&7").expectSuccess()
    #expect(try command.read("log") == Data("precious\n".utf8) + expected + Data("more\n".utf8))
  }

  #if os(Linux)
    /// Without the error, a script would continue with an incomplete completion script.
    @Test(arguments: [
      "--version", "decode --help", "decode --version", "--generate-completion-script bash",
    ])
    func unwritableTextIsReported(_ words: String) throws {
      let result = try command.shell("./webp \(words) > /dev/full")
      #expect(result.status == 75 && result.errors == "webp: standard output: No space left on device\n")
      try command.shell("./webp \(words) | grep -q .").expectSuccess()
    }
  #endif

  /// The image is so large that a file would have received some rows before the error.
  @Test func aLargeTruncatedImageWritesNothing() throws {
    let fixture = "Tests/WebPLoadingTests/Fixtures/four-megapixels.webp"
    let file = try Data(contentsOf: TestFile.root.appendingPathComponent(fixture))
    let start = try #require(file.range(of: Data("VP8 ".utf8))).upperBound + 4
    // A bare VP8 stream has no size field, so only its token partition is truncated.
    try file[start..<file.count * 3 / 4].write(to: command.folder.appendingPathComponent("a.webp"))
    let piped = try command.webp("decode", "--threads", "1", "a.webp", "-o", "-")
    #expect(piped.status == 1 && piped.output.isEmpty && piped.errors.contains("truncated"))
    let result = try command.shell("echo precious > log; ./webp decode --threads 1 a.webp -o /dev/fd/1 >> log")
    #expect(result.status == 1)
    #expect(try command.read("log") == Data("precious\n".utf8))
  }

  @Test func aClosedDescriptorIsReported() throws {
    _ = try bringInputs()
    let before = try command.files
    // Closed explicitly, because the test process may have inherited any descriptor.
    let result = try command.shell("./webp decode a.webp -o /dev/fd/9 9>&-")
    #expect(result.status == 1 && result.errors == "webp: /dev/fd/9: Bad file descriptor\n")
    #expect(try command.files == before)
  }
}
