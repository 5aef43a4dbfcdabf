import Foundation
import TestSupport
import Testing

/// Runs the command that was built, in a new temporary folder.
final class Command {
  struct Result {
    let status: Int32
    let output: Data
    let errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  let folder: URL
  /// The names by which the tests call the command. They are links in the folder.
  private static let names = ["webp", "dwebp"]

  init() throws {
    folder = TemporaryFolder.place()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in Self.names {
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent(name), withDestinationURL: Products.url("webp"))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func webp(_ arguments: String..., input: Data = Data()) throws -> Result {
    try Self.run(folder.appendingPathComponent("webp"), arguments, input, in: folder)
  }

  func dwebp(_ arguments: String..., input: Data = Data()) throws -> Result {
    try Self.run(folder.appendingPathComponent("dwebp"), arguments, input, in: folder)
  }

  /// Runs a line in the shell, with core dumps disabled.
  func shell(_ line: String) throws -> Result {
    try Self.run(URL(fileURLWithPath: "/bin/sh"), ["-c", "ulimit -c 0\n" + line], Data(), in: folder)
  }

  /// Copies a conformance vector into the folder.
  func bring(_ vector: String, as name: String? = nil) throws {
    try Self.vector(vector).write(to: folder.appendingPathComponent(name ?? vector))
  }

  /// Copies a vector into the folder, and adds all three kinds of metadata (RFC 9649, section 2.7): an animation, or an
  /// image of 67 × 45 pixels.
  func bringWithMetadata(
    as name: String, of vector: String = "encoder-cwebp-q75.webp", exif: Data = Data("II*\0".utf8),
    xmp: Data = Data("<x/>".utf8)
  ) throws {
    var picture = [UInt8](try Self.vector(vector).dropFirst(12))
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

  static func vector(_ name: String) throws -> Data {
    try Data(contentsOf: vectors.appendingPathComponent(name))
  }

  static let vectors = root.appendingPathComponent("Conformance/vectors")

  /// The folder of the package.
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  private static func run(_ program: URL, _ arguments: [String], _ input: Data, in folder: URL) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    // Uses files instead of pipes, so that neither process waits for the other.
    let names = ["input", "output", "errors"].map {
      folder.deletingLastPathComponent().appendingPathComponent("\(folder.lastPathComponent)-\($0)")
    }
    defer { for name in names { try? FileManager.default.removeItem(at: name) } }
    try input.write(to: names[0])
    for name in names[1...] { try Data().write(to: name) }
    process.standardInput = try FileHandle(forReadingFrom: names[0])
    process.standardOutput = try FileHandle(forWritingTo: names[1])
    process.standardError = try FileHandle(forWritingTo: names[2])
    try withoutBlockedSignals { try process.run() }
    process.waitUntilExit()
    return Result(
      status: process.terminationStatus, output: try Data(contentsOf: names[1]),
      errors: String(decoding: try Data(contentsOf: names[2]), as: UTF8.self))
  }

  /// Calls `body` with no signals blocked. Threads that run tests block signals, and child processes inherit that.
  static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
    var (none, before) = (sigset_t(), sigset_t())
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }
}
