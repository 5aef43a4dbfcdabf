import Foundation
import Testing

/// Proves that `--help` lists the options that are used most first.
/// Expected values: lists of options that are written in the tests.
@Suite struct HelpTests {
  let command = try! Command()

  @Test(arguments: [
    ("decode", ["-o, --output", "--force", "--fit", "--threads", "--max-pixels", "-h, --help"]),
    ("frames", ["-o, --output", "--force", "--fit", "--threads", "--max-pixels", "-h, --help"]),
  ])
  func mainOptionsPrecedeLimits(_ subcommand: String, _ options: [String]) throws {
    let help = try command.webp("help", subcommand).text
    let list = try #require(help.range(of: "\nOPTIONS:"))
    let offsets = options.map { help[list.upperBound...].range(of: "\n  \($0)")?.lowerBound }
    #expect(!offsets.contains(nil))
    #expect(offsets.compactMap(\.self) == offsets.compactMap(\.self).sorted())
  }
}
