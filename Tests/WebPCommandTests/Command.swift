import Foundation
import TestSupport
import Testing

/// Runs the command that was built, in a new temporary folder.
final class Command {
  let folder: URL
  /// The names by which the tests call the command. They are links in the folder.
  private static let names = ["webp", "dwebp"]

  /// - Parameter vector: a conformance vector, which is `a.webp` in the folder.
  init(with vector: String? = nil) throws {
    folder = try TemporaryFolder.make()
    for name in Self.names {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent(name), withDestinationURL: Products.url("webp"))
    }
    if let vector { try bring(vector, as: "a.webp") }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func webp(_ arguments: String..., input: Data = Data()) throws -> FinishedProcess {
    try FinishedProcess(folder.appendingPathComponent("webp"), arguments, input: input, in: folder)
  }

  func dwebp(_ arguments: String..., input: Data = Data()) throws -> FinishedProcess {
    try FinishedProcess(folder.appendingPathComponent("dwebp"), arguments, input: input, in: folder)
  }

  /// Runs a line in the shell, with core dumps disabled.
  func shell(_ line: String) throws -> FinishedProcess {
    try FinishedProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "ulimit -c 0\n" + line], in: folder)
  }

  /// Copies a conformance vector into the folder.
  func bring(_ vector: String, as name: String? = nil) throws {
    try TestFile.vector(vector).write(to: folder.appendingPathComponent(name ?? vector))
  }

  /// Copies a vector into the folder, and adds all three kinds of metadata (RFC 9649, section 2.7): an animation, or an
  /// image of 67 × 45 pixels.
  func bringWithMetadata(
    as name: String, of vector: String = "encoder-cwebp-q75.webp", exif: Data = Data("II*\0".utf8),
    xmp: Data = Data("<x/>".utf8)
  ) throws {
    var picture = [UInt8](try TestFile.vector(vector).dropFirst(12))
    var extended = FileWriter.vp8X(flags: 0, width: 67, height: 45)
    if picture.starts(with: extended.prefix(8)) {
      extended = Array(picture.prefix(18))
      picture.removeFirst(18)
    }
    extended[8] |= 0b10_1100
    let profile = ICCProfile.bytes("RGB ")
    let file = FileWriter.riff(
      extended, FileWriter.chunk("ICCP", profile), picture, FileWriter.chunk("EXIF", Array(exif)),
      FileWriter.chunk("XMP ", Array(xmp)))
    try Data(file).write(to: folder.appendingPathComponent(name))
  }

  func read(_ name: String) throws -> Data { try Data(contentsOf: folder.appendingPathComponent(name)) }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// The names of the files in the folder, except the links to the command.
  var files: Set<String> {
    get throws {
      Set(try FileManager.default.contentsOfDirectory(atPath: folder.path)).subtracting(Self.names)
    }
  }
}

extension FinishedProcess {
  /// The objects that `--json` prints.
  func objects() throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: output) as? [[String: Any]])
  }

  func expectSuccess() { #expect(status == 0, "\(errors)") }
}
