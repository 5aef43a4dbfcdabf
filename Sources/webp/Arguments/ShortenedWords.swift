/// The words of a command line without most of its operands.
///
/// ArgumentParser's time is quadratic in the number of operands. For 1,000 files it takes four times as long as
/// `webp info` takes to read them. Therefore one word, a marker, replaces the longest run of operands:
///
///     -o out a.webp b.webp c.webp -v     -o out MARKER -v
///
/// The first word after an option may be the option's value, and is not replaced.
struct ShortenedWords {
  let words: [String]
  private let operands: ArraySlice<String>

  init(_ all: [String]) {
    let runs = all.split { $0.utf8.first == UInt8(ascii: "-") && $0.utf8.count > 1 }.map { $0.dropFirst() }
    operands = runs.max { $0.count < $1.count } ?? []
    let range = operands.indices
    words = range.isEmpty ? all : Array(all[..<range.lowerBound] + [Self.marker] + all[range.upperBound...])
  }

  /// A text that no word of a command line contains.
  private static let marker = "\0"

  /// Returns the parsed operands, with the marker replaced.
  func restored(_ parsed: [String]) -> [String] {
    parsed.flatMap { $0 == Self.marker ? operands : [$0] }
  }
}
