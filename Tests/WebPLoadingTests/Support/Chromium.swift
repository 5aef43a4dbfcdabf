import Foundation
import TestSupport

/// A headless browser. The tests that use it take half a minute. They run if BROWSER_TESTS=1 is set.
enum Chromium {
  private static let executable = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static let isWanted = ProcessInfo.processInfo.environment["BROWSER_TESTS"] != nil

  /// A screenshot of a page after it has loaded completely.
  static func screenshot(of page: URL) async throws -> PNGReader {
    let folder = TemporaryFolder.place()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("page.png")
    try await run([
      "--screenshot=\(file.path)", "--user-data-dir=\(folder.path)", page.absoluteString,
    ])
    return try PNGReader(Data(contentsOf: file))
  }

  /// Returns the HTML of the page after it has loaded completely and scripts have run.
  ///
  /// - Parameter arguments: additional arguments of the browser.
  static func dom(of page: URL, _ arguments: [String] = []) async throws -> String {
    let folder = TemporaryFolder.place()
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await run(arguments + ["--dump-dom", "--user-data-dir=\(folder.path)", page.absoluteString])
  }

  struct Missing: Error {}

  @discardableResult
  private static func run(_ arguments: [String]) async throws -> String {
    let process = Process()
    guard let executable else { throw Missing() }
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments =
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
        "--window-size=480,720", "--no-first-run", "--disable-extensions",
      ] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try process.run()
      } catch {
        continuation.resume(throwing: error)
        return
      }
      DispatchQueue.global().async {
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        continuation.resume(returning: String(decoding: text, as: UTF8.self))
      }
    }
  }
}
