import Testing

@testable import webp

/// Proves that the words of a command line are shortened without changing the options and operands.
/// Expected values: what the same subcommand parses without shortening.
@Suite struct ShortenedWordsTests {
  @Test(arguments: [
    "a b c d e f", "-o out a b c d e", "a b c d -o out e f g h", "a b c d --force e f g h -v i", "--threads 2 a b c d",
    "a - b c d -q", "-f png -- -a -b -c -d", "a b c d -- -e f -g h", "--fit=3x3 a b c -o x", "a", "", "-- a",
  ])
  func operandsKeepTheirOrder(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let expected = try DecodeCommand.parse(words)
    let shortened = ShortenedWords(words)
    let parsed = try DecodeCommand.parse(shortened.words)
    #expect(shortened.restored(parsed.inputs.operands) == expected.inputs.operands)
    #expect(parsed.output == expected.output && parsed.force == expected.force && parsed.verbose == expected.verbose)
  }

  @Test func manyOperandsBecomeAFewWords() {
    let words = ["-o", "out"] + (0..<10_000).map { "\($0).webp" } + ["-v"]
    #expect(ShortenedWords(words).words.count == 4)
  }
}
