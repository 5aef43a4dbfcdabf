import ArgumentParser

extension ParsableCommand {
  /// Ends the program as `exit(withError:)` does, which would not escape the words that it repeats.
  package static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    var message = fullMessage(for: error)
    guard !code.isSuccess, !message.isEmpty else { exit(withError: error) }
    // Ends of lines in words are not to be taken for those of the message, which may hold an option's value alone.
    for word in commandLineWords where word.contains("\n") {
      for part in [word[...], word.drop { $0 != "=" }.dropFirst()] where part.contains("\n") {
        message.replace(part, with: String(part).shown)
      }
    }
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) { printError(String(line)) }
    exitProcess(code.rawValue)
  }
}
