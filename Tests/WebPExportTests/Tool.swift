import Foundation

/// Other programs, as independent judges.
enum Tool {
  /// Whether a shell command succeeds, or ought to: on the machine that decides about changes, no check is left out.
  static func isExpected(_ command: String) -> Bool {
    ProcessInfo.processInfo.environment["CI"] != nil || (try? run("sh", ["-c", command]).status) == 0
  }

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
}
