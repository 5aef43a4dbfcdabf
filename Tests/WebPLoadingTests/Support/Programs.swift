import Foundation
import TestSupport

/// The package's executables.
enum Programs {
  /// Runs a program to its end.
  static func run(
    _ name: String, _ arguments: [String], input: Data = Data()
  ) async throws -> (status: Int32, output: Data, errors: String) {
    let process = Process()
    process.executableURL = Products.url(name)
    process.arguments = arguments
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        stdin.fileHandleForWriting.write(input)
        try? stdin.fileHandleForWriting.close()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        let errors = stderr.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        continuation.resume(
          returning: (process.terminationStatus, output, String(decoding: errors, as: UTF8.self)))
      }
    }
  }
}
