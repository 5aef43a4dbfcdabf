#if os(Linux)
  // Other systems reject such file names.

  import Foundation
  import TestSupport
  import Testing

  /// Proves that file names cannot control the terminal.
  /// Expected values: escaped names that are written in the tests.
  @Suite struct TerminalEscapingTests {
    let command = try! Command()

    /// Characters that color text, end a line, erase, begin an escape sequence as a character and as an invalid UTF-8
    /// byte, and change the text direction.
    static let name = #"a\033[31m\012\177\302\233\233\342\200\256\342\201\246z.webp"#
    static let shown = #"a\u{1B}[31m\n\u{7F}\u{009B}\u{009B}\u{202E}\u{2066}z.webp"#
    static let bytes: [UInt8] = [0x1B, 0x7F, 0x9B, 0xAE, 0xA6]

    @Test(arguments: [
      "webp info NAME", "webp info missing/NAME", "webp info --chunks NAME", "webp decode -v NAME",
      "webp decode a.webp a.webp -o NAME/x", "webp extract icc NAME", "dwebp NAME",
    ])
    func controlCharactersAreEscaped(_ words: String) throws {
      let result = try call(words)
      #expect(result.text.contains(Self.shown) && !result.output.contains { Self.bytes.contains($0) }, "\(result.text)")
    }

    /// ArgumentParser reports these errors, on separate lines.
    @Test(arguments: [
      "webp extract icc a.webp NAME", "webp decode a.webp --format NAME",
      "webp decode a.webp --format=NAME", "webp decode a.webp --NAME",
    ])
    func controlCharactersOfUnexpectedWordsAreEscaped(_ words: String) throws {
      let result = try call(words)
      #expect(result.text.contains(Self.shown) && !result.output.contains { Self.bytes.contains($0) }, "\(result.text)")
      #expect(result.status == 64)
    }

    private func call(_ words: String) throws -> FinishedProcess {
      try command.bring("encoder-img2webp-animation.webp", as: "a.webp")
      let line = words.replacingOccurrences(of: "NAME", with: "\"$name\"")
      return try command.shell("name=$(printf '\(Self.name)'); cp a.webp \"$name\"; ./\(line) 2>&1")
    }

    @Test func jsonContainsTheUnescapedName() throws {
      let name = "a\u{1B}\u{9B}\u{202E}.webp"
      try command.bring("encoder-cwebp-q75.webp", as: name)
      let result = try command.webp("info", "--json", name)
      #expect(result.text.contains(#""a\u001b\u009b\u202e.webp""#))
      let objects = try result.objects()
      #expect(objects.first?["file"] as? String == name)
    }
  }
#endif
