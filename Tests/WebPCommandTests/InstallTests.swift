import Foundation
import TestComparison
import TestSupport
import Testing

/// Proves that the script `install` installs the program, the man page, the completion scripts and the links.
/// Expected values: lists of files that are written in the tests, and the command's own list of options.
@Suite struct InstallTests {
  let command = try! Command()

  private func install(_ options: String) throws -> FinishedProcess { try installing("", options) }

  private func installing(_ variables: String, _ options: String) throws -> FinishedProcess {
    let folder = Products.url("webp").deletingLastPathComponent().path
    return try command.shell("\(variables) '\(TestFile.root.path)/install' --from '\(folder)' \(options)")
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
        == "dwebp\nwebp\n")
    #expect(try command.shell("prefix/bin/dwebp -version").text == "1.6.0\n")
  }

  @Test func helpIsPrinted() throws {
    for option in ["-h", "--help"] {
      let help = try install(option)
      #expect(help.status == 0 && help.text.contains("./install [--links]") && help.errors.isEmpty)
    }
    let mistake = try install("--bogus")
    #expect(mistake.status == 64 && mistake.output.isEmpty && mistake.errors.contains("./install [--links]"))
  }

  @Test(arguments: ["''", "one two", "--from", "--from --links", "--uninstall --links"])
  func invalidOptionsInstallNothing(_ options: String) throws {
    let result = try command.shell("'\(TestFile.root.path)/install' \(options)")
    #expect(result.status == 64 && result.errors.hasPrefix("install: "), "\(result.errors)")
    #expect(try command.files == [])
  }

  /// A program of the same name from another package is kept.
  @Test func uninstallingRemovesTheInstalledFiles() throws {
    try install("--links prefix").expectSuccess()
    try command.shell("rm prefix/bin/dwebp; touch prefix/bin/dwebp").expectSuccess()
    try command.shell("'\(TestFile.root.path)/install' --uninstall prefix").expectSuccess()
    #expect(try command.shell("find prefix -type f -o -type l").text == "prefix/bin/dwebp\n")
  }

  @Test func packagesAreInstalledInDESTDIR() throws {
    try installing("umask 077; DESTDIR=root", "--links /usr").expectSuccess()
    #expect(try command.files == ["root"])
    #expect(try command.shell("cd root/usr/bin; ls").text == "dwebp\nwebp\n")
    #expect(try command.shell("find root -type d ! -perm 755 -o -type f ! -perm -644").text.isEmpty)
  }

  /// A program or a link of another package is kept.
  @Test(arguments: ["touch prefix/bin/dwebp", "ln -s other prefix/bin/dwebp"])
  func otherProgramsAreKept(_ line: String) throws {
    try command.shell("mkdir -p prefix/bin; \(line); ls -l prefix/bin > before").expectSuccess()
    let result = try install("--links prefix")
    #expect(result.status == 0 && result.errors.contains("prefix/bin/dwebp belongs to another package"))
    try command.shell("'\(TestFile.root.path)/install' --uninstall prefix; ls -l prefix/bin | diff before -")
      .expectSuccess()
  }

  @Test func uninstallingNothingIsReported() throws {
    let result = try command.shell("mkdir prefix; '\(TestFile.root.path)/install' --uninstall prefix")
    #expect(result.text == "Nothing to remove in prefix\n")
  }

  /// The folder `share` cannot be created, or the program is missing.
  @Test func failuresLeaveNoFolders() throws {
    try command.shell("mkdir -p taken; touch taken/share").expectSuccess()
    #expect(try install("taken/").status != 0)
    #expect(try command.shell("ls taken").text == "share\n")
    #expect(try command.shell("mkdir empty; '\(TestFile.root.path)/install' --from empty new/prefix").status != 0)
    #expect(try command.files == ["taken", "empty"])
  }

  @Test func theProgramIsStripped() throws {
    try install("prefix").expectSuccess()
    let sizes = try ["webp", "prefix/bin/webp"].map { name in
      Int(try command.shell("wc -c < \(name)").text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
    }
    #expect(sizes[1] < sizes[0] * 2 / 3, "\(sizes)")
  }

  /// To update the page, run Documentation/make-man-page > Documentation/webp.1.
  @Test(.needs("python3")) func theManPageIsUpToDate() throws {
    let root = TestFile.root.path
    let difference = try command.shell(
      "python3 '\(root)/Documentation/make-man-page' ./webp | diff '\(root)/Documentation/webp.1' -")
    #expect(difference.status == 0, "\(difference.text)\(difference.errors)")
    let lint = try command.shell("command -v mandoc >&2 || exit 0; mandoc -Tlint '\(root)/Documentation/webp.1'")
    #expect(lint.status == 0 && lint.text.isEmpty, "\(lint.text)")
  }
}
