import Foundation

/// The package's executables.
enum Programs {
  static func url(_ name: String) -> URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    let products = (bundle ?? URL(fileURLWithPath: CommandLine.arguments[0])).deletingLastPathComponent()
    return products.appendingPathComponent(name)
  }

  /// Runs a program to its end.
  static func run(
    _ name: String, _ arguments: [String], input: Data = Data()
  ) async throws -> (status: Int32, output: Data, errors: String) {
    let process = Process()
    process.executableURL = url(name)
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
