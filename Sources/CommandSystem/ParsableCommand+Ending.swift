import ArgumentParser

extension ParsableCommand {
  /// Ends the program as `exit(withError:)` does, except that words of the command line are escaped in messages, and that
  /// a failure to write the help is reported.
  package static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    var message = fullMessage(for: error)
    guard !message.isEmpty else { exitProcess(code.rawValue) }
    guard !code.isSuccess else {
      do { try printOutput(message + "\n") } catch { Failure(writing: "-", error).endProgram() }
      exitProcess(0)
    }
    // Line ends in words are escaped, but line ends of the message are not. The message may contain only the value of
    // an option.
    for word in commandLineWords where word.contains("\n") {
      for part in [word[...], word.drop { $0 != "=" }.dropFirst()] where part.contains("\n") {
        message.replace(part, with: String(part).shown)
      }
    }
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) { printError(String(line)) }
    exitProcess(code.rawValue)
  }
}
