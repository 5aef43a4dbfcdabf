// A file that is there already changes nothing but its contents, and can be written wherever a shell could write it.

import CAttributes
import Foundation
import Testing

@Suite struct ReplacedFileTests {
  let command = try! Command()

  /// - Returns: what `o.png` is to become.
  private func bringInput() throws -> Data {
    try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
    try Data(repeating: 0x6F, count: 100_000).write(to: command.folder.appendingPathComponent("o.png"))
    return try command.webp("decode", "a.webp", "-o", "-").output
  }

  @Test func allItsNamesStayItsNames() throws {
    let picture = try bringInput()
    try command.shell("ln o.png other.png; ./webp decode a.webp -o o.png").expectSuccess()
    #expect(try command.read("other.png") == picture && command.read("o.png") == picture)
    #expect(try command.files == ["a.webp", "o.png", "other.png"])
  }

  @Test func aNameMayBeAsLongAsTheSystemTakes() throws {
    let picture = try bringInput()
    let name = String(repeating: "n", count: 251) + ".png"
    for _ in 0..<2 {
      try command.webp("decode", "a.webp", "-o", name).expectSuccess()
      #expect(try command.read(name) == picture)
    }
  }

  #if os(Linux)
    @Test(.enabled(if: isRoot))
    func itsOwnerStaysItsOwner() throws {
      let picture = try bringInput()
      let result = try command.shell(
        "chown 1234:1235 o.png; chmod 640 o.png; ./webp decode a.webp -o o.png; stat -c '%u %g %a' o.png")
      result.expectSuccess()
      #expect(result.text == "1234 1235 640\n")
      #expect(try command.read("o.png") == picture)
    }

    /// Docker has files for outputs so.
    @Test(.enabled(if: canMount))
    func aFileOnWhichAnotherIsMounted() throws {
      let picture = try bringInput()
      try command.shell(
        """
        touch mounted.png
        unshare -m sh -c 'mount --bind o.png mounted.png && ./webp decode a.webp -o mounted.png'
        """
      ).expectSuccess()
      #expect(try command.read("o.png") == picture && command.read("mounted.png").isEmpty)
      #expect(try command.files == ["a.webp", "o.png", "mounted.png"])
    }

    /// A file with two names has to be written over, of which half would be no use.
    @Test(.enabled(if: canMount))
    func noRoomForACopyChangesNothing() throws {
      _ = try bringInput()
      let result = try command.shell(
        """
        mkdir small; unshare -m sh -c '
          mount -t tmpfs -o size=400k tmpfs small && cp o.png small && ln small/o.png small/other.png
          ./webp decode a.webp -f bmp --resize 330x222 -o small/o.png; echo $?
          ls -A small; cp small/o.png after'
        """)
      #expect(result.text == "1\no.png\nother.png\n")
      #expect(result.errors == "webp: small/o.png: No space left on device\n")
      #expect(try command.read("after") == command.read("o.png"))
    }

    /// The old file has no blocks yet, so that the end of the disk is met in the midst of the copy.
    @Test(.enabled(if: canMount))
    func whatIsNotCopiedToItsEndStays() throws {
      _ = try bringInput()
      let result = try command.shell(
        """
        mkdir small; unshare -m sh -c '
          mount -t tmpfs -o size=400k tmpfs small && truncate -s 300000 small/o.bmp && ln small/o.bmp small/other.bmp
          ./webp decode a.webp --resize 330x222 -o small/o.bmp; echo $?
          cp small/.webp-*.part whole'; ./webp decode a.webp --resize 330x222 -o expected.bmp
        """)
      #expect(result.text == "1\n")
      let words = result.errors.split(separator: " ")
      #expect(result.errors.hasPrefix("webp: small/o.bmp: No space left on device; "))
      #expect(words.contains { $0.contains("/small/.webp-") && $0.hasSuffix("-0.part") }, "\(result.errors)")
      #expect(try command.read("whole") == command.read("expected.bmp"))
    }

    /// Which moment the signal meets is up to the system: as long as it is none in the midst of the copy, once more.
    @Test func whoeverIsEndedInTheMidstOfACopyTellsWhatIsWhole() throws {
      _ = try bringInput()
      let words = "decode a.webp -f bmp --resize 2000x1200 -o"
      let result = try command.shell(
        """
        o=$(printf 'o\\033.png'); mv o.png "$o"
        ./webp \(words) expected; ln "$o" other.png; touch -d @1 mark
        for attempt in $(seq 50); do
          echo old > "$o"; touch -d @0 "$o"; rm -f .webp-* told
          ./webp \(words) "$o" 2> told & process=$!
          until [ "$o" -nt mark ] || [ -s told ]; do :; done
          kill -TERM $process; wait $process; status=$?
          cmp -s "$o" expected || break
        done
        echo $status; cat told; mv .webp-*.part whole
        """)
      #expect(result.text.hasPrefix("143\nwebp: "))
      #expect(result.text.contains(#"/o\u{1B}.png: interrupted; what is there now is not whole, but "#))
      #expect(result.text.contains("/.webp-") && result.text.hasSuffix("-0.part is\n"), "\(result.text)")
      #expect(try command.read("whole") == command.read("expected"))
    }

    @Test(arguments: ["user.comment": Array("mine".utf8), "system.posix_acl_access": accessList])
    func itsAttributesStay(_ name: String, _ value: [UInt8]) throws {
      let picture = try bringInput()
      let path = command.folder.path + "/o.png"
      // Not every file system takes them.
      guard unsafe setxattr(path, name, value, value.count, 0) == 0 else { return }
      try command.shell("./webp decode a.webp -o o.png").expectSuccess()
      var after = [UInt8](repeating: 0, count: 100)
      let count = unsafe getxattr(path, name, &after, after.count)
      #expect(after.prefix(max(0, count)) == value[...])
      #expect(try command.read("o.png") == picture)
      #expect(try command.files == ["a.webp", "o.png"])
    }

    /// As the kernel takes it (acl(5)): its version, then of each entry a tag, what is allowed, and the user's number. One
    /// user may read, by the mask, and the group may not.
    private static let accessList: [UInt8] = [
      2, 0, 0, 0,
      0x01, 0, 6, 0, 255, 255, 255, 255,
      0x02, 0, 4, 0, 210, 4, 0, 0,
      0x04, 0, 0, 0, 255, 255, 255, 255,
      0x10, 0, 4, 0, 255, 255, 255, 255,
      0x20, 0, 0, 0, 255, 255, 255, 255,
    ]

    @Test(.enabled(if: hasUnprivileged))
    func aFolderThatTakesNoOthers() throws {
      let picture = try bringInput()
      let result = try command.shell(
        """
        chmod 777 .; mkdir folder temporary; mv o.png folder; chmod 666 folder/o.png
        chmod 777 temporary; chmod 555 folder; export TMPDIR=$PWD/temporary
        \(Self.unprivileged) ./webp decode a.webp -o folder/o.png; echo $?
        \(Self.unprivileged) ./webp decode a.webp -o folder/new.png; echo $?
        chmod 444 folder/o.png
        \(Self.unprivileged) ./webp decode a.webp -o folder/o.png; echo $?
        ls -A folder temporary; chmod 755 folder
        """)
      #expect(result.text == "0\n1\n1\nfolder:\no.png\n\ntemporary:\n")
      #expect(
        result.errors
          == "webp: folder/new.png: Permission denied\nwebp: folder/o.png: Permission denied\n")
      #expect(try command.read("folder/o.png") == picture)
    }

    @Test(.enabled(if: hasUnprivileged))
    func aFileThatItsOwnerMayNotWrite() throws {
      _ = try bringInput()
      let before = try command.read("o.png")
      if Self.isRoot { try command.shell("chmod 777 .; chown 65534:65534 o.png").expectSuccess() }
      let result = try command.shell("chmod 444 o.png; \(Self.unprivileged) ./webp decode a.webp -o o.png")
      #expect(result.status == 1 && result.errors == "webp: o.png: Permission denied\n")
      #expect(try command.read("o.png") == before)
      #expect(try command.files == ["a.webp", "o.png"])
    }

    @Test(.enabled(if: isRoot && hasUnprivileged))
    func aFileOfSomebodyElse() throws {
      let picture = try bringInput()
      let result = try command.shell(
        "chmod 777 .; chmod 606 o.png; \(Self.unprivileged) ./webp decode a.webp -o o.png; stat -c '%u %g %a' o.png")
      #expect(result.text == "0 0 606\n")
      #expect(try command.read("o.png") == picture)
      #expect(try command.files == ["a.webp", "o.png"])
    }

    private static let isRoot = geteuid() == 0
    /// What makes the shell run a command as one whom permissions bind.
    private static let unprivileged = isRoot ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
    private static let hasUnprivileged = succeeds("\(unprivileged) ./webp --version")
    private static let canMount = succeeds("touch a b && unshare -m mount --bind a b")

    private static func succeeds(_ line: String) -> Bool { (try? Command().shell(line).status) == 0 }
  #endif
}
