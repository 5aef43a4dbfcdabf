#if os(Linux)
  import Foundation
  import TestComparison
  import Testing

  /// Proves that folders are searched to their ends, whatever they contain, and that results arrive file by file.
  /// Expected values: lists of files that are written in the tests.
  @Suite struct FolderTests {
    let command = try! Command()

    init() throws {
      try command.shell("mkdir -p d/sub").expectSuccess()
      for name in ["d/a.webp", "d/sub/b.webp", "d/p.jpg", "d/plain"] {
        try command.bring("encoder-cwebp-q75.webp", as: name)
      }
      try command.write("text", to: "d/notes.txt")
    }

    private func checked(_ options: String) throws -> [String] {
      try command.shell("timeout 60 ./webp check --json \(options)").objects().compactMap { $0["file"] as? String }
    }

    /// Nothing writes to the FIFO, so opening it would wait forever.
    @Test(.needs("python3")) func onlyRegularFilesAreRead() throws {
      try command.shell(
        """
        mkfifo d/fifo.webp; ln -s ../d d/folder.webp; ln -s a.webp d/link.webp; ln -s nothing d/broken.webp
        python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('d/socket.webp')"
        """
      ).expectSuccess()
      #expect(try checked("-r d") == ["d/a.webp", "d/link.webp", "d/sub/b.webp"])
      #expect(try checked("-r --all d") == ["d/a.webp", "d/link.webp", "d/p.jpg", "d/plain", "d/sub/b.webp"])
    }

    @Test func otherFilesAreCounted() throws {
      let result = try command.webp("check", "-r", "d")
      #expect(result.status == 0 && result.errors == "2 sound, 0 corrupt, 3 other files not looked at (--all does)\n")
      try command.bring("riff-cut-22-lossy.webp", as: "d/c.webp")
      let all = try command.webp("check", "-r", "--all", "d")
      #expect(all.status == 1 && all.errors.hasSuffix("4 sound, 1 corrupt, 1 other file\n"), "\(all.errors)")
      let note = "3 other files not looked at (--all does)\n"
      #expect(try command.webp("info", "-r", "d").errors.hasSuffix(note))
      #expect(try command.webp("decode", "-r", "d", "-o", "out").errors.hasSuffix(note))
      #expect(try command.webp("check", "--all", "d").status == 64)
    }

    /// RFC 1740 specifies the first bytes.
    @Test func attributesOfMacOSAreSkipped() throws {
      try command.shell("mkdir d/__MACOSX; printf '\\0\\5\\26\\7\\0\\2' | tee d/._a.webp > d/__MACOSX/._a.webp")
        .expectSuccess()
      #expect(try checked("-r d") == ["d/a.webp", "d/sub/b.webp"])
      let named = try command.webp("check", "d/._a.webp")
      #expect(named.status == 1 && named.errors.contains("d/._a.webp: an AppleDouble file"), "\(named.errors)")
    }

    /// The superuser can read every folder, so the command runs as another user.
    @Test(.enabled(if: Self.canRunAsAnotherUser, "only root can run programs as another user"))
    func unreadableFoldersAreNamed() throws {
      try command.shell("chmod 000 d/sub; mkdir d/z; cp d/a.webp d/z/c.webp").expectSuccess()
      defer { _ = try? command.shell("chmod 755 d/sub") }
      let result = try command.shell("\(Self.asAnotherUser) $(readlink -f webp) check --json -r d")
      #expect(result.status == 75 && result.errors == "webp: d/sub: Permission denied\n")
      for name in ["d/a.webp", "d/sub", "d/z/c.webp"] { #expect(result.text.contains("\"\(name)\"")) }
    }

    @Test func eachFileHasALineOfJSON() throws {
      for subcommand in ["check", "info"] {
        let lines = try command.shell("./webp \(subcommand) --json-lines d/a.webp none.webp d/p.jpg").text
        let objects = try lines.split(separator: "\n").map {
          try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        #expect(objects.map { $0?["file"] as? String } == ["d/a.webp", "none.webp", "d/p.jpg"])
      }
      #expect(try command.webp("check", "--json", "--json-lines", "d/a.webp").status == 64)
    }

    /// The second input is a FIFO, for which the command waits until the signal arrives.
    @Test(arguments: ["check", "info"]) func arraysAreClosedOnSignals(_ subcommand: String) throws {
      let result = try command.shell(
        """
        mkfifo fifo
        ./webp \(subcommand) --json d/a.webp fifo > out & process=$!
        until grep -q a.webp out; do :; done
        kill -TERM $process; wait $process; echo $?
        """)
      #expect(result.text == "143\n")
      let objects = try JSONSerialization.jsonObject(with: command.read("out")) as? [[String: Any]]
      #expect(objects?.count == 1 && objects?.first?["file"] as? String == "d/a.webp")
    }

    static let asAnotherUser = "setpriv --reuid=65534 --regid=65534 --clear-groups"
    /// Indicates whether another user may be chosen, and can run the command.
    static let canRunAsAnotherUser =
      geteuid() == 0
      && (try? Command().shell("\(asAnotherUser) $(readlink -f webp) --version"))?.status == 0
  }
#endif
