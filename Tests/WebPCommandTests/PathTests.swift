import CommandSystem
import Foundation
import Testing

/// Proves that paths are divided byte by byte, although Unicode combines characters across slashes and dots.
/// Expected values: paths whose parts are written in the tests.
@Suite struct PathTests {
  @Test(arguments: [
    ("a/b.c.webp", "webp"), ("b", ""), ("a.d/b", ""), ("/.webp", ""), ("a/b.", ""), ("a/", ""), ("", ""),
    // In Unicode, a combining mark and the preceding slash or dot form one character.
    ("d/\u{301}x.webp", "webp"), ("d/x.\u{301}webp", "\u{301}webp"),
  ])
  func extensionsBeginAfterTheLastDotByte(_ path: String, _ pathExtension: String) {
    #expect(Array(path.pathExtension.utf8) == Array(pathExtension.utf8))
  }

  @Test func trailingSlashesAreDetectedAsBytes() {
    #expect("a/".endsInSlash && "\u{600}/".endsInSlash && !"/\u{301}".endsInSlash && !"".endsInSlash)
  }

  @Test func namesWithCombiningMarksAreReadAndWritten() throws {
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
    /// On other systems, file systems normalize names, so both names may denote the same file.
    @Test func canonicallyEquivalentNamesAreTwoFiles() throws {
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
