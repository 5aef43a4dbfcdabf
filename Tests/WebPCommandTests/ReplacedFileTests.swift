import Foundation
import Testing

/// Proves that replacing a file preserves its permissions and its other names, and that a failure preserves the file.
/// Expected values: the bytes that the command writes to standard output, and the mode and owner that `stat` reports.
@Suite struct ReplacedFileTests {
  private let command = try! Command(with: "encoder-cwebp-q75.webp")
  /// The expected contents of `o.png`.
  private let image: Data

  init() throws {
    try Data(repeating: 0x6F, count: 100_000).write(to: command.folder.appendingPathComponent("o.png"))
    image = try command.webp("decode", "a.webp", "-o", "-").output
  }

  @Test func hardLinksKeepTheOldFile() throws {
    let before = try command.read("o.png")
    try command.shell("ln o.png other.png; ./webp decode a.webp -o o.png").expectSuccess()
    #expect(try command.read("other.png") == before && command.read("o.png") == image)
    #expect(try command.files == ["a.webp", "o.png", "other.png"])
  }

  @Test func namesMayHaveTheMaximumLength() throws {
    let name = String(repeating: "n", count: 251) + ".png"
    for _ in 0..<2 {
      try command.webp("decode", "a.webp", "-o", name).expectSuccess()
      #expect(try command.read(name) == image)
    }
  }

  #if os(Linux)
    @Test func permissionsAreKept() throws {
      let result = try command.shell(
        "umask 077; chmod 646 o.png; ./webp decode a.webp -o o.png; stat -c '%a' o.png")
      result.expectSuccess()
      #expect(result.text == "646\n")
      #expect(try command.read("o.png") == image)
    }

    @Test(.enabled(if: canMount, "mounts are not permitted"))
    func aFullDiskChangesNothing() throws {
      let result = try command.shell(
        """
        mkdir small; unshare -m sh -c '
          mount -t tmpfs -o size=200k tmpfs small && cp o.png small
          ./webp decode a.webp -f bmp --resize 330x222 -o small/o.png; echo $?
          ls -A small; cp small/o.png after'
        """)
      #expect(result.text == "75\no.png\n")
      #expect(result.errors == "webp: small/o.png: No space left on device\n")
      #expect(try command.read("after") == command.read("o.png"))
    }

    @Test(.enabled(if: hasUnprivileged, "programs cannot run as another user"))
    func aReadOnlyFileIsKept() throws {
      let before = try command.read("o.png")
      if Self.isRoot { try command.shell("chmod 777 .; chown 65534:65534 o.png").expectSuccess() }
      let result = try command.shell("chmod 444 o.png; \(Self.unprivileged) ./webp decode a.webp -o o.png")
      #expect(result.status == 75 && result.errors == "webp: o.png: Permission denied\n")
      #expect(try command.read("o.png") == before)
      #expect(try command.files == ["a.webp", "o.png"])
    }

    @Test(.enabled(if: isRoot && hasUnprivileged, "programs cannot run as another user"))
    func aFileOfAnotherUserGetsANewOwner() throws {
      let result = try command.shell(
        "chmod 777 .; chmod 606 o.png; \(Self.unprivileged) ./webp decode a.webp -o o.png; stat -c '%u %g %a' o.png")
      #expect(result.text == "65534 65534 606\n")
      #expect(try command.read("o.png") == image)
      #expect(try command.files == ["a.webp", "o.png"])
    }

    private static let isRoot = geteuid() == 0
    /// A prefix for shell commands that runs them as an unprivileged user, because permissions do not apply to root.
    private static let unprivileged = isRoot ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
    private static let hasUnprivileged = succeeds("\(unprivileged) ./webp --version")
    private static let canMount = succeeds("touch a b && unshare -m mount --bind a b")

    private static func succeeds(_ line: String) -> Bool { (try? Command().shell(line).status) == 0 }
  #endif
}
