import ArgumentParser

/// The names of a subcommand's options. ArgumentParser lists them only in the help, from which they are read. That
/// takes some milliseconds, so it is done only to explain an error.
struct OptionNames {
  /// All names with their dashes, in the order of the help.
  let all: [String]

  init(of subcommand: String) {
    let commands = WebPCommand.configuration.subcommands
    guard let command = commands.first(where: { $0.configuration.commandName == subcommand }) else {
      all = []
      return
    }
    // A line of an option is `  -o, --output <out>      Where to write …`.
    let lines = WebPCommand.helpMessage(for: command, includeHidden: true, columns: 1000).split(separator: "\n")
    let names = lines.filter { $0.hasPrefix("  -") }.flatMap { line in
      line.dropFirst(2).split(separator: " ").prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
        .filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != "," }) }
    }
    all = names + (subcommand == "decode" ? dwebpSpellings : [])
  }

  /// Indicates whether the word is an option, several options of one letter, or an option with its value.
  func accept(_ word: String) -> Bool {
    if all.contains(CommandLineForms.name(of: word)) { return true }
    guard !word.hasPrefix("--") else { return false }
    let letters = word.dropFirst()
    if letters.first == "o" { return all.contains("-o") }
    if letters.first == "f", all.contains("-f") { return letters.dropFirst().isFormat }
    return letters.allSatisfy { all.contains("-\($0)") }
  }
}

extension Substring {
  fileprivate var isFormat: Bool { String(self).namedFormat != nil || String("a." + self).namedFormat != nil }
}

/// Returns the word that was probably meant, or nil if none is similar or begins with it. Dashes at the start of the
/// words are ignored.
func nearest(to word: String, in words: [String]) -> String? {
  let plain = String(word.drop { $0 == "-" })
  let limit = min(2, (plain.count - 1) / 2)
  // Among equally similar words, the longer one is chosen: an option with two dashes.
  let candidates = words.map { (word: $0, distance: editDistance(plain, String($0.drop { $0 == "-" }))) }
  let similar = candidates.filter { $0.distance <= limit }.min {
    ($0.distance, -$0.word.count) < ($1.distance, -$1.word.count)
  }
  let isStart = { (candidate: String) in plain.count > 2 && candidate.drop { $0 == "-" }.hasPrefix(plain) }
  return similar?.word ?? words.filter(isStart).min { $0.count < $1.count }
}

/// Returns the minimum number of characters to insert, delete, replace, or swap with the next one.
private func editDistance(_ word: String, _ other: String) -> Int {
  let (word, other) = (Array(word), Array(other))
  // Three rows of the table: two characters of `word` ago, one ago, now.
  var rows = [[], [], Array(0...other.count)]
  for (row, character) in word.enumerated() {
    rows = [rows[1], rows[2], [row + 1]]
    for (column, otherCharacter) in other.enumerated() {
      let replaced = rows[1][column] + (character == otherCharacter ? 0 : 1)
      var distance = min(replaced, rows[1][column + 1] + 1, rows[2][column] + 1)
      if row > 0, column > 0, character == other[column - 1], word[row - 1] == otherCharacter {
        distance = min(distance, rows[0][column - 1] + 1)
      }
      rows[2].append(distance)
    }
  }
  return rows[2][other.count]
}
