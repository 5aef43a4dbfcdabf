import Foundation

/// The exit status of a program, and its output.
package struct FinishedProcess: Sendable {
  package let status: Int32
  package let output: Data
  package let errors: String

  package var text: String { String(decoding: output, as: UTF8.self) }

  package init(status: Int32, output: Data, errors: String) {
    self.status = status
    self.output = output
    self.errors = errors
  }

  /// Runs a program to its end.
  ///
  /// - Parameter folder: the current folder. By default, a new temporary folder.
  package init(
    _ program: URL, _ arguments: [String], input: Data = Data(), in folder: URL = TemporaryFolder.place()
  ) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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
    try process.runWithoutBlockedSignals()
    process.waitUntilExit()
    status = process.terminationStatus
    output = try Data(contentsOf: names[1])
    errors = String(decoding: try Data(contentsOf: names[2]), as: UTF8.self)
  }

  /// Runs a program that is found in the folders of `PATH`.
  package init(named name: String, _ arguments: [String]) throws {
    try self.init(URL(fileURLWithPath: "/usr/bin/env"), [name] + arguments)
  }
}

extension Process {
  /// Starts the program with no signals blocked. Threads that run tests block signals, which child processes inherit.
  package func runWithoutBlockedSignals() throws {
    var (none, before) = (sigset_t(), sigset_t())
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try run()
  }
}
