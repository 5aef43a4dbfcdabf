import Foundation
import TestSupport
import Testing

/// Proves that the completion scripts offer the subcommands, options and files of each position.
/// Expected values: the completions that bash computes from the script, compared with lists in the tests.
@Suite struct CompletionTests {
  let command = try! Command()

  @Test(arguments: ["bash", "zsh", "fish"])
  func scriptsContainSubcommandsAndOptions(_ shell: String) throws {
    let script = try command.webp("--generate-completion-script", shell)
    #expect(script.status == 0)
    for word in ["decode", "frames", "extract", "no-fancy"] { #expect(script.text.contains(word)) }
  }

  @Test func bashAcceptsTheScript() throws {
    try command.shell("./webp --generate-completion-script bash > script && bash -n script").expectSuccess()
    #expect(try command.read("script").range(of: Data("-F _webp webp".utf8)) != nil)
  }

  @Test(arguments: ["decode", "frames", "extract icc", "info", "view"])
  func webPFilesAndFoldersAreOffered(_ words: String) throws {
    try command.shell("touch page.html page.webp; mkdir pages").expectSuccess()
    #expect(try completions(of: words, "pa") == ["page.webp", "pages"])
  }

  @Test func otherFilesAreOfferedForOutputs() throws {
    try command.write("", to: "page.png")
    #expect(try completions(of: "decode a.webp -o", "pa") == ["page.png"])
  }

  /// Without a subcommand, the options and files of `decode` are offered, and subcommands in the first position.
  @Test func theShortFormIsCompleted() throws {
    try command.shell("touch page.html page.webp; mkdir pages").expectSuccess()
    #expect(try completions(of: "", "--no-m") == ["--no-metadata"])
    #expect(try completions(of: "page.webp", "--no-m") == ["--no-metadata"])
    #expect(try completions(of: "-q", "pa") == ["page.webp", "pages"])
    #expect(try completions(of: "", "pa") == ["page.webp", "pages"])
    #expect(try completions(of: "", "fr") == ["frames"])
    #expect(try completions(of: "page.webp -o", "pa") == ["page.html", "page.webp", "pages"])
  }

  @Test(arguments: ["zsh", "fish"])
  func otherShellsAcceptTheScript(_ shell: String) throws {
    try command.shell("./webp --generate-completion-script \(shell) > script").expectSuccess()
    let result = try command.shell("command -v \(shell) >&2 || exit 0; \(shell) -n script")
    #expect(result.status == 0, "\(result.errors)")
  }

  /// The functions of zsh's completion system print their arguments.
  @Test(.needs("zsh")) func zshOffersFilesAndSubcommandsInTheFirstPosition() throws {
    try command.write(
      """
      compdef() { }; _files() { print -r -- "files $*" }; _describe() { print -r -- "describe $*" }
      _arguments() { state=command }
      . ./script
      words=(webp ""); CURRENT=2
      _webp
      """, to: "ask")
    let result = try command.shell("./webp --generate-completion-script zsh > script; zsh -f ask")
    #expect(result.text == "files -g *.webp\ndescribe -V subcommand subcommands\n", "\(result.errors)")
  }

  @Test func helpCompletesSubcommands() throws {
    #expect(try completions(of: "help", "") == ["check", "decode", "extract", "frames", "info", "view"])
    #expect(try completions(of: "help", "fr") == ["frames"])
  }

  /// Returns the completions that bash offers, sorted. The variables are described in bash's manual, Programmable
  /// Completion.
  private func completions(of words: String, _ start: String) throws -> [String] {
    try command.write(
      """
      . ./completions
      COMP_WORDS=(webp \(words) "\(start)")
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE}
      _webp_or_decode webp "\(start)" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """, to: "ask")
    let result = try command.shell("./webp --generate-completion-script bash > completions; bash ask")
    return result.text.split(separator: "\n").map(String.init).sorted()
  }
}
