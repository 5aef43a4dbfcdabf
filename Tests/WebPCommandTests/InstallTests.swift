import Foundation
import TestSupport
import Testing

/// Proves that the script `install` installs the program, the man page, the completion scripts and the links.
/// Expected values: lists of files that are written in the tests, and the command's own list of options.
@Suite struct InstallTests {
  let command = try! Command()

  private func install(_ options: String) throws -> Command.Result {
    let folder = Products.url("webp").deletingLastPathComponent().path
    return try command.shell("'\(Self.root.path)/install' --from '\(folder)' \(options)")
  }

  @Test func programAndDocumentationAreInstalled() throws {
    try install("prefix").expectSuccess()
    #expect(
      try command.shell("cd prefix; find . -type f -o -type l | sort").text == """
        ./bin/webp
        ./share/bash-completion/completions/webp
        ./share/fish/vendor_completions.d/webp.fish
        ./share/man/man1/webp.1
        ./share/zsh/site-functions/_webp

        """)
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    try command.shell("prefix/bin/webp a.webp").expectSuccess()
  }

  @Test func linksAreInstalledWithTheOption() throws {
    try install("--links prefix").expectSuccess()
    #expect(
      try command.shell("cd prefix/bin; ls").text
        == "anim_dump\ndwebp\nvwebp\nwebp\nwebpinfo\nwebpmux\n")
    #expect(try command.shell("prefix/bin/dwebp -version").text == "1.6.0\n")
  }

  private struct Tool: Decodable {
    struct Argument: Decodable {
      var abstract: String?
      var shouldDisplay: Bool
    }
    struct Subcommand: Decodable {
      var commandName: String
      var arguments: [Argument]?
      var subcommands: [Subcommand]?
    }
    var command: Subcommand
  }

  /// `swift package generate-manual` writes the page.
  @Test func theManPageDescribesAllOptions() throws {
    let page = try String(contentsOf: Self.root.appendingPathComponent("Documentation/webp.1"), encoding: .utf8)
    let tool = try JSONDecoder().decode(Tool.self, from: command.webp("--experimental-dump-help").output)
    for subcommand in try #require(tool.command.subcommands) {
      #expect(page.contains(".It Em \(subcommand.commandName)\n"))
      for argument in subcommand.arguments ?? [] where argument.shouldDisplay {
        if let text = argument.abstract { #expect(page.contains(text), "\(subcommand.commandName): \(text)") }
      }
    }
  }

  private static let root = Command.vectors.deletingLastPathComponent().deletingLastPathComponent()
}
