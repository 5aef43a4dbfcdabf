import Foundation
import TestComparison
import TestSupport
import Testing

/// Runs other programs, which check the files independently.
enum Tool {
  static func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  /// Evaluates a Python expression for each file, and returns one line for each. In the expression, `i` is the image
  /// that Pillow opened.
  static func pillow(_ expression: String, of files: [[UInt8]]) throws -> [Substring] {
    let folder = TemporaryFolder.place()
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, file) in files.enumerated() { try Data(file).write(to: folder.appendingPathComponent("\(index)")) }
    let program = """
      import sys; from PIL import Image
      for number in range(int(sys.argv[2])):
        i = Image.open(sys.argv[1] + '/' + str(number)); print(\(expression))
      """
    let result = try run("python3", ["-W", "ignore", "-c", program, folder.path, "\(files.count)"])
    let lines = result.output.split(separator: "\n")
    try #require(result.status == 0 && lines.count == files.count, "\(result.output)")
    return lines
  }
}
