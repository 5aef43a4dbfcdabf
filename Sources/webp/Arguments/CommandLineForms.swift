import CommandSystem

/// An invalid command line.
struct UsageError: Error {
  let message: String
  /// The subcommand whose help explains more.
  var subcommand: String?

  /// Prints the error in the form of ArgumentParser's errors, and ends the program.
  func endProgram() -> Never {
    printError("Error: \(message)")
    let help = ["webp", subcommand, "--help"].compactMap(\.self).joined(separator: " ")
    printError("See '\(help)' for more information.")
    exitProcess(64)
  }
}

/// Checks and completes the words of the command line before ArgumentParser parses them.
enum CommandLineForms {
  /// Returns the words, beginning with a subcommand or with an option of `webp` itself. Other words are options and
  /// operands of `decode`:
  ///
  ///     photo.webp                 decode photo.webp
  ///     --fit 320x320 photo.webp   decode --fit 320x320 photo.webp
  static func withSubcommand(_ words: [String]) throws(UsageError) -> [String] {
    if words.first == "help", words.count > 1, !words[1].hasPrefix("-"), !commands.contains(words[1]) {
      throw unknownCommand(words[1])
    }
    guard let first = words.first, !commands.contains(first), !rootOptions.contains(name(of: first)) else {
      return words
    }
    if first.hasPrefix("--"), commands.contains(String(first.dropFirst(2))) {
      throw UsageError(message: "unknown option \(first); did you mean webp \(first.dropFirst(2))?")
    }
    let isFile = first.contains("/") || first.contains(".") || FileKind(first) != .nothing
    guard first.hasPrefix("-") || isFile else { throw unknownCommand(first) }
    return ["decode"] + words
  }

  /// Throws an error if a word that ArgumentParser would accept as options is probably meant otherwise.
  ///
  /// ArgumentParser takes a word such as `-photo.webp` for several options of one letter. Help is among them if the
  /// word contains an h, so no file of a shell pattern such as `*.webp` would be decoded.
  static func checkDashes(_ words: [String]) throws(UsageError) {
    for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && word.utf8.count > 2 {
      let isLong = word.hasPrefix("--")
      // If the shell replaced a pattern by `--force`, the word is an option.
      if (!isLong || name(of: word) != word) && FileKind(word) != .nothing {
        throw UsageError(
          message: "\(word) is a file, but begins as an option does; write \(word.quoted), or -- before the files",
          subcommand: words[0])
      }
      if !isLong && !isLetters(word) { throw unknownOption(word, of: words[0]) }
    }
  }

  /// Indicates whether the word is an option of one letter with its value, or several without values.
  private static func isLetters(_ word: String) -> Bool {
    let value = String(word.dropFirst(2))
    return switch word.dropFirst().first {
    case "o": !value.hasPrefix("ut")
    case "f": value.namedFormat != nil || "a.\(value)".namedFormat != nil
    default: word.dropFirst().allSatisfy { "qrv".contains($0) }
    }
  }

  /// Returns an error for an option that encoders have, or nil if there is none. Called after ArgumentParser rejected
  /// the words.
  static func encoderOption(in words: [String]) -> UsageError? {
    words.first { encoderOptions.contains(String(name(of: $0).drop { $0 == "-" })) && $0.hasPrefix("-") }
      .map { UsageError(message: "unknown option \(name(of: $0)): \(noEncoder)", subcommand: words[0]) }
  }

  /// Returns an error for a misspelled `--help` or `--version`, or nil if there is none. ArgumentParser compares
  /// options only with the options of the subcommand.
  static func rootOption(in words: [String]) -> UsageError? {
    for option in ["--help", "--version"] {
      guard let word = words.first(where: { $0.sorted() == option.sorted() || editDistance($0, option) == 1 }) else {
        continue
      }
      return UsageError(message: "unknown option \(word); did you mean \(option)?", subcommand: words[0])
    }
    return nil
  }

  /// Returns an error for an option that ArgumentParser would read as options of one letter. ArgumentParser compares it
  /// with all options as if it had two dashes. The operand prevents an error about a missing one.
  private static func unknownOption(_ word: String, of subcommand: String) -> UsageError {
    if let error = encoderOption(in: [subcommand, word]) { return error }
    do { _ = try WebPCommand.parseAsRoot([subcommand, "-", "-\(word)"]) } catch {
      let message = WebPCommand.message(for: error)
      if message.hasPrefix("Unknown option") {
        return UsageError(message: message.replacing("'-\(word)'", with: "'\(word)'"), subcommand: subcommand)
      }
    }
    return UsageError(message: "unknown option \(word); did you mean -\(word)?", subcommand: subcommand)
  }

  static let commands =
    WebPCommand.configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  private static let rootOptions = [
    "-h", "--help", "--version", "--generate-completion-script", "--experimental-dump-help",
  ]
  private static let noEncoder = "webp does not encode; use cwebp of libwebp"
  private static let encoderOptions = [
    "quality", "lossless", "near_lossless", "near-lossless", "preset", "sharp_yuv", "alpha_q", "size", "psnr",
  ]

  /// The name in `--name=value`.
  private static func name(of word: String) -> String { String(word.prefix { $0 != "=" }) }

  /// Names that other programs have for the subcommands, and names of libwebp's programs.
  static let synonyms = [
    "convert": "decode", "identify": "info", "show": "view", "thumbnail": "decode --fit 320", "verify": "check",
    "webpinfo": "info --chunks", "webpmux": "extract", "anim_dump": "frames", "vwebp": "view",
  ]

  static func unknownCommand(_ word: String) -> UsageError {
    if ["encode", "compress"].contains(word) { return UsageError(message: noEncoder) }
    let similar = commands.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    let meant = synonyms[word] ?? similar.flatMap { $0.1 <= min(2, word.count / 2) ? $0.0 : nil }
    let hint = meant.map { "; did you mean \($0)?" } ?? "; see webp --help"
    return UsageError(message: "unknown command \(word)\(hint)")
  }
}

/// Returns the minimum number of characters to insert, delete or replace.
private func editDistance(_ word: String, _ other: String) -> Int {
  var row = Array(0...other.count)
  for (index, character) in word.enumerated() {
    var diagonal = row[0]
    row[0] = index + 1
    for (column, otherCharacter) in other.enumerated() {
      let replaced = diagonal + (character == otherCharacter ? 0 : 1)
      diagonal = row[column + 1]
      row[column + 1] = min(replaced, diagonal + 1, row[column] + 1)
    }
  }
  return row[other.count]
}
