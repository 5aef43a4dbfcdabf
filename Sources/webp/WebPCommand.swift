import ArgumentParser
import CommandSystem

struct WebPCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webp",
    abstract: "Decodes WebP images.",
    discussion: """
      EXAMPLES
        webp decode photo.webp                   writes photo.png next to it
        webp decode photo.webp -o photo.bmp      the name specifies the format
        webp decode *.webp -o pngs/              many at once, into a folder
        webp decode - -o - < a.webp > a.png      from a pipe into a pipe
        webp view photo.webp                     in the terminal

      webp photo.webp is short for webp decode photo.webp. Called dwebp, through a link, it behaves as libwebp's \
      program. webp --generate-completion-script bash (or zsh, fish) prints completions.
      """,
    version: commandVersion,
    subcommands: [
      DecodeCommand.self, FramesCommand.self, InfoCommand.self, CheckCommand.self, ExtractCommand.self,
      ViewCommand.self,
    ])
}

extension WebPCommand {
  /// Parses the words of the command line.
  ///
  /// A subcommand first parses its words as if it were the root command, because this is faster. If that fails, the
  /// root command parses all words. It knows the options of `webp` itself, and its messages contain the complete name
  /// of the subcommand.
  static func command(of words: [String]) throws -> any ParsableCommand {
    guard let subcommand = configuration.subcommands.first(where: { $0.configuration.commandName == words.first })
    else {
      return try parseAsRoot(words)
    }
    let shortened = ShortenedWords(words)
    if let command = try? subcommand.parseAsRoot(Array(shortened.words.dropFirst())) {
      return withInputs(shortened, command)
    }
    // The messages quote the words.
    return try parseAsRoot(words)
  }

  /// Returns the command with all of its operands. The types are concrete, because the runtime takes long to find out
  /// whether a type conforms to a protocol.
  private static func withInputs(_ words: ShortenedWords, _ command: any ParsableCommand) -> any ParsableCommand {
    func restored<Command>(_ command: Command, _ operands: WritableKeyPath<Command, [String]>) -> Command {
      var command = command
      command[keyPath: operands] = words.restored(command[keyPath: operands])
      return command
    }
    return switch command {
    case let command as DecodeCommand: restored(command, \.inputs.operands)
    case let command as InfoCommand: restored(command, \.inputs.operands)
    case let command as CheckCommand: restored(command, \.inputs.operands)
    case let command as FramesCommand: restored(command, \.inputs)
    case let command as ViewCommand: restored(command, \.inputs)
    default: command
    }
  }
}

extension CommandConfiguration {
  /// Creates the configuration of a subcommand.
  ///
  /// `_superCommandName` also saves time. Without this name, ArgumentParser would parse the words a first time for its
  /// own options, such as completion scripts.
  init(subcommand: String, abstract: String, discussion: String) {
    self.init(commandName: subcommand, _superCommandName: "webp", abstract: abstract, discussion: discussion)
  }
}
