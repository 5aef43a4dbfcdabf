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
    let isFile = first.contains("/") || first.contains(".") || FileKind(first) != .nothing
    guard first.hasPrefix("-") || isFile else { throw unknownCommand(first) }
    return ["decode"] + words
  }

  /// Throws an error if a word that ArgumentParser would accept as options is probably meant otherwise.
  ///
  /// ArgumentParser takes a word such as `-photo.webp` for several options of one letter. Help is among them if the
  /// word contains an h, so no file of a shell pattern such as `*.webp` would be decoded.
  static func checkDashes(_ words: [String]) throws(UsageError) {
    for word in words.prefix(while: { $0 != "--" }) where word.hasPrefix("-") && word.utf8.count > 1 {
      let isFile = FileKind(word) != .nothing
      let isCluster = word.utf8.count > 2 && !word.hasPrefix("--")
      guard isFile || isCluster && (word.contains("h") || word == "-output") else { continue }
      if OptionNames(of: words[0]).all.contains(word) { continue }
      guard isFile else { throw unknownOption(word, of: words[0]) }
      throw UsageError(
        message: "\(word) is a file, but begins as an option does; write ./\(word), or -- before the files",
        subcommand: words[0])
    }
  }

  /// Returns the error of the first word that is not an option of the subcommand, or nil if there is none. Called after
  /// ArgumentParser rejected the words.
  static func unknownOption(in words: [String]) -> UsageError? {
    guard let subcommand = words.first, commands.contains(subcommand) else { return nil }
    let options = OptionNames(of: subcommand)
    let unknown = words.prefix { $0 != "--" }.dropFirst().first { word in
      word.hasPrefix("-") && word != "-" && Double(word) == nil && !options.accept(word)
    }
    return unknown.map { unknownOption($0, of: subcommand) }
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
  static func name(of word: String) -> String { String(word.prefix { $0 != "=" }) }

  /// Names that other programs have for the subcommands.
  private static let synonyms = [
    "convert": "decode", "identify": "info", "show": "view", "thumbnail": "decode --fit 320", "verify": "check",
  ]

  private static func unknownCommand(_ word: String) -> UsageError {
    switch word {
    case "encode", "compress": return UsageError(message: noEncoder)
    default:
      if let meant = synonyms[word] { return UsageError(message: "unknown command \(word); did you mean \(meant)?") }
      let hint = nearest(to: word, in: commands).map { "; did you mean \($0)?" } ?? "; see webp --help"
      return UsageError(message: "unknown command \(word)\(hint)")
    }
  }

  private static func unknownOption(_ word: String, of subcommand: String) -> UsageError {
    let name = name(of: word)
    let plain = String(name.drop { $0 == "-" })
    var hint = ""
    if encoderOptions.contains(plain) {
      hint = ": \(noEncoder)"
    } else if let option = nearest(to: name, in: OptionNames(of: subcommand).all) {
      hint = "; did you mean \(option)?"
    } else if let command = nearest(to: name, in: commands) {
      hint = "; did you mean webp \(command)?"
    }
    return UsageError(message: "unknown option \(name)\(hint)", subcommand: subcommand)
  }
}
