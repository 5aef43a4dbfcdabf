/// The words of a command line without most of its operands.
///
/// ArgumentParser's time is quadratic in the number of operands. For 1,000 files it takes four times as long as
/// `webp info` takes to read them. Therefore one word, a marker, replaces the operands that follow each other:
///
///     -o out a.webp b.webp c.webp -v     -o out MARKER -v
///
/// The first word after an option may be the option's value, and is not replaced.
struct ShortenedWords {
  private(set) var words: [String] = []
  private var operands: [ArraySlice<String>] = []

  init(_ all: [String]) {
    var rest = all[...]
    while let word = rest.popFirst() {
      words.append(word)
      if word == "--" {
        replace(rest)
        return
      }
      guard !Self.isOption(word) else { continue }
      let run = rest.prefix { !Self.isOption($0) }
      rest = rest.dropFirst(run.count)
      replace(run)
    }
  }

  /// Indicates whether the word begins with a dash and is not `-`.
  private static func isOption(_ word: String) -> Bool { word.utf8.first == UInt8(ascii: "-") && word.utf8.count > 1 }

  private mutating func replace(_ run: ArraySlice<String>) {
    guard run.count > 2 else {
      words += run
      return
    }
    words.append("\(Self.marker)\(operands.count)")
    operands.append(run)
  }

  /// A text that no word of a command line contains.
  private static let marker = "\0"

  /// Returns the parsed operands, with the markers replaced.
  func restored(_ parsed: [String]) -> [String] {
    guard !operands.isEmpty else { return parsed }
    return parsed.flatMap { word -> ArraySlice<String> in
      word.hasPrefix(Self.marker) ? operands[Int(word.dropFirst()) ?? 0] : [word]
    }
  }
}
