import Foundation
import TestSupport
import Testing

/// Proves that the temporary folders of ended test processes are removed, and the folders of running ones are retained.
/// Expected values: the folders of an ended process and of the test process itself.
@Suite struct TemporaryFolderTests {
  @Test func foldersOfEndedProcessesAreRemoved() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "exit"]
    try process.run()
    process.waitUntilExit()
    let dead = TemporaryFolder.folder(of: process.processIdentifier)
    try FileManager.default.createDirectory(at: dead.appendingPathComponent("a"), withIntermediateDirectories: true)
    let own = TemporaryFolder.place()
    try Data([1]).write(to: own)
    TemporaryFolder.removeLeftovers()
    #expect(!FileManager.default.fileExists(atPath: dead.path))
    #expect(FileManager.default.fileExists(atPath: own.path))
    try FileManager.default.removeItem(at: own)
  }
}
