import ArgumentParser

extension ParsableCommand {
  /// Ends the program as `exit(withError:)` does, which would not escape the words that it repeats, nor tell that the help
  /// that was asked for cannot be written.
  package static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    var message = fullMessage(for: error)
    guard !message.isEmpty else { exitProcess(code.rawValue) }
    guard !code.isSuccess else {
      do { try printOutput(message + "\n") } catch { Failure(writing: "-", error).endProgram() }
      exitProcess(0)
    }
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
