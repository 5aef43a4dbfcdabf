import Foundation

/// A program that converts a file to PNG: it reads, decodes, compresses, and writes.
final class Command: Contestant {
  private var program: URL
  private let arguments: [String]
  private let pixelArguments: [String]
  private let folder: URL
  private var isDone = false

  static func webp(_ input: InputFile, _ setup: Setup) throws -> Command {
    // The decoder's package is the parent folder of the benchmarks.
    let package = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let program = package.appendingPathComponent(".build/release/webp").path
    let arguments = ["decode", "--quiet", "--threads", "\(setup.threads)"]
    let command = try Command(program, arguments, pixelOptions: [], input.file)
    try command.copyProgram()
    return command
  }

  static func dwebp(_ input: InputFile, _ setup: Setup) throws -> Command {
    let arguments = ["-quiet"] + (setup.threads > 1 ? ["-mt"] : [])
    return try Command(setup.dwebp ?? "dwebp", arguments, pixelOptions: ["-pam"], input.file)
  }

  /// The opponent's name and version, such as `dwebp 1.6.0`.
  static func version(ofDWebP setup: Setup) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = try find(setup.dwebp ?? "dwebp")
    process.arguments = ["-version"]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return "dwebp " + (text.split(separator: "\n").first ?? "")
  }

  /// - Parameter pixelOptions: the options that PAM output needs besides the name of the file.
  private init(_ program: String, _ arguments: [String], pixelOptions: [String], _ file: String) throws {
    self.program = try Self.find(program)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("decode-bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    self.arguments = arguments + [file, "-o", folder.appendingPathComponent("picture.png").path]
    pixelArguments = arguments + pixelOptions + [file, "-o", folder.appendingPathComponent("picture.pam").path]
  }

  private static func find(_ program: String) throws -> URL {
    let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/" }
    let candidates = (program.contains("/") ? [""] : path).map { $0 + program }
    guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw BenchError("\(program) not found; to build webp: swift build -c release --product webp")
    }
    return URL(fileURLWithPath: found)
  }

  /// Replaces the program by a copy, because a file that was just linked can be slower.
  private func copyProgram() throws {
    let copy = folder.appendingPathComponent(program.lastPathComponent)
    try FileManager.default.copyItem(at: program, to: copy)
    program = copy
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func begin() { isDone = false }

  func next() throws -> Bool {
    if isDone { return false }
    isDone = true
    try run(arguments)
    return true
  }

  private func run(_ arguments: [String]) throws {
    let process = try Process.run(program, arguments: arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("\(program.lastPathComponent) failed") }
  }

  /// Runs the program again with PAM output, which is not compressed.
  func withPixels<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
    try run(pixelArguments)
    return try unsafe Data(contentsOf: folder.appendingPathComponent("picture.pam")).withUnsafeBytes(body)
  }

  /// The size of the PNG file, in bytes.
  var fileSize: Int? { try? Data(contentsOf: folder.appendingPathComponent("picture.png")).count }
}
