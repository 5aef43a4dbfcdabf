import Foundation
import TestSupport
import Testing

@Suite struct TemporaryFolderTests {
  @Test func nothingStaysOfProcessesThatAreNoMore() throws {
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
