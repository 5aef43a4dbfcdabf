import CommandSystem
import Foundation
import Testing

@Suite struct PathTests {
  @Test(arguments: [
    ("a/b.c.webp", "a/", "b.c.webp", "a/b.c", "webp"), ("b", "", "b", "b", ""), ("a.d/b", "a.d/", "b", "a.d/b", ""),
    ("/.webp", "/", ".webp", "/.webp", ""), ("a/b.", "a/", "b.", "a/b", ""), ("a/", "a/", "", "a/", ""),
    ("", "", "", "", ""),
    // To Unicode, what is before a combining mark and what is after some signs is one character with it.
    ("d/\u{301}x.webp", "d/", "\u{301}x.webp", "d/\u{301}x", "webp"),
    ("d/x.\u{301}webp", "d/", "x.\u{301}webp", "d/x", "\u{301}webp"),
    ("d\u{600}/x\u{600}.webp", "d\u{600}/", "x\u{600}.webp", "d\u{600}/x\u{600}", "webp"),
  ])
  func pathsArePartedByteByByte(_ path: String, _ folder: String, _ last: String, _ bare: String, _ more: String) {
    func bytes(_ text: some StringProtocol) -> [UInt8] { Array(text.utf8) }
    #expect(bytes(path.folderPrefix) == bytes(folder))
    #expect(bytes(path.lastPathComponent) == bytes(last))
    #expect(bytes(path.withoutExtension) == bytes(bare))
    #expect(bytes(path.pathExtension) == bytes(more))
  }

  @Test func slashesAtTheEnds() {
    #expect("/\u{301}".beginsWithSlash && !"\u{301}/".beginsWithSlash)
    #expect("\u{600}/".endsInSlash && !"/\u{301}".endsInSlash)
    #expect(["", "a", "a/", "\u{600}/"].map(\.asFolder) == ["", "a/", "a/", "\u{600}/"])
  }

  @Test func combiningMarksInNames() throws {
    let command = try Command()
    try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
    try command.shell(
      """
      set -e; mark=$(printf '\\314\\201'); sign=$(printf '\\330\\200'); mkdir d out$sign; cp a.webp d/${mark}x.webp
      ./webp decode d/${mark}x.webp -o out$sign/; ./webp frames d/${mark}x.webp -o out$sign/
      ./webp frames d/${mark}x.webp; ./webp decode d/${mark}x.webp a.webp -o new$sign/
      ./webp decode a.webp; cmp a.png new$sign/${mark}x.png
      cmp a.png out$sign/${mark}x.png; cmp d/${mark}x-0000.png out$sign/${mark}x-0000.png
      """
    ).expectSuccess()
  }

  #if os(Linux)
    /// Elsewhere they may be one.
    @Test func namesThatAreTheSameTextAreTwoFiles() throws {
      let command = try Command()
      try command.bring("encoder-cwebp-q75.webp", as: "a.webp")
      try command.shell(
        """
        set -e; composed=$(printf 'caf\\303\\251'); parted=$(printf 'cafe\\314\\201'); mkdir out
        cp a.webp $composed.webp; cp a.webp $parted.webp; ./webp decode a.webp
        ./webp decode $composed.webp $parted.webp -o out
        cmp a.png out/$composed.png; cmp a.png out/$parted.png
        """
      ).expectSuccess()
    }
  #endif
}
