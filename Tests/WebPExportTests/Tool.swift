import Foundation

/// Other programs, as independent judges.
enum Tool {
  /// Whether a tool is here, or should be: on the machine that decides about changes, no check may be left out.
  static func isExpected(_ name: String, _ arguments: String...) -> Bool {
    if ProcessInfo.processInfo.environment["CI"] != nil { return true }
    return (try? run(name, arguments))?.status != 127 && (try? run(name, arguments))?.status != 1
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
