import CommandSystem

/// Interprets command lines whose subcommand is missing or misspelled.
enum CommandLineForms {
  /// The error of a command line that does not correspond to a subcommand.
  struct Mistake: Error {
    let message: String
  }

  /// Returns the words, with the subcommand `decode` inserted if they imply it.
  ///
  ///     photo.webp                 decode photo.webp
  ///     photo.webp out.png         decode photo.webp -o out.png
  ///     --fit 320x320 photo.webp   decode --fit 320x320 photo.webp
  static func normalized(_ words: [String]) throws(Mistake) -> [String] {
    if words.first == "help", words.count > 1, !words[1].hasPrefix("-"), !commands.contains(words[1]) {
      throw unknownCommand(words[1])
    }
    guard let first = words.first, !commands.contains(first), !rootOptions.contains(where: first.hasPrefix) else {
      return words
    }
    if encoderWords.contains(first) {
      throw Mistake(message: "webp does not encode; use cwebp of libwebp")
    }
    let isFile = first.contains("/") || first.contains(".") || FileKind(first) != .nothing
    guard first.hasPrefix("-") || isFile else { throw unknownCommand(first) }
    if isFile, words.count > 1, words[1].namedFormat != nil, words.dropFirst(2).first?.hasPrefix("-") != false {
      guard FileKind(words[1]) == .nothing else {
        throw Mistake(message: "\(words[1]) exists already; to replace it, use webp decode \(first) -o \(words[1])")
      }
      return ["decode", first, "-o", words[1]] + words.dropFirst(2)
    }
    return ["decode"] + words
  }

  private static let commands =
    WebPCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  private static let rootOptions = [
    "-h", "--help", "--version", "--generate-completion-script", "--experimental-dump-help",
  ]
  private static let encoderWords = ["encode", "convert", "compress", "-q", "-lossless", "--lossless", "--quality"]

  private static func unknownCommand(_ word: String) -> Mistake {
    let nearest = commands.min { editDistance($0, word) < editDistance($1, word) }
    let hint = nearest.flatMap { editDistance($0, word) <= 2 ? "; did you mean \($0)?" : nil }
    return Mistake(message: "unknown command \(word)" + (hint ?? "; see webp --help"))
  }
}

/// Returns the Levenshtein distance of two words: the minimum number of characters to insert, delete or replace.
private func editDistance(_ word: String, _ other: String) -> Int {
  var distances = Array(0...other.count)
  for (row, character) in word.enumerated() {
    var diagonal = distances[0]
    distances[0] = row + 1
    for (column, otherCharacter) in other.enumerated() {
      let replaced = diagonal + (character == otherCharacter ? 0 : 1)
      diagonal = distances[column + 1]
      distances[column + 1] = min(replaced, diagonal + 1, distances[column] + 1)
    }
  }
  return distances[other.count]
}
