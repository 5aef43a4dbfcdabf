import ArgumentParser

extension ParsableCommand {
  /// Ends the program like `exit(withError:)`, with two differences. In error messages, control characters are escaped,
  /// including line ends in arguments of the command line. If the help cannot be written, the failure is reported.
  package static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    var message = fullMessage(for: error)
    guard !message.isEmpty else { exitProcess(code.rawValue) }
    guard !code.isSuccess else {
      do { try printOutput(message + "\n") } catch { Failure(writing: "-", error).endProgram() }
      exitProcess(0)
    }
    // The line ends of the message itself are not escaped. The message may quote a complete argument, or only the part
    // after `=` in `--option=value`.
    for word in commandLineWords where word.contains("\n") {
      for part in [word[...], word.drop { $0 != "=" }.dropFirst()] where part.contains("\n") {
        message.replace(part, with: String(part).shown)
      }
    }
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) { printError(String(line)) }
    exitProcess(code.rawValue)
  }
}
