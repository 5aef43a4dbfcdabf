import ArgumentParser

extension ParsableCommand {
  /// Ends the program as `exit(withError:)` does, which would not escape the words that it repeats. Of them, ends of lines
  /// are not told from those of the message.
  package static func end(with error: any Error) -> Never {
    let code = exitCode(for: error)
    let message = fullMessage(for: error)
    guard !code.isSuccess, !message.isEmpty else { exit(withError: error) }
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) { printError(String(line)) }
    exitProcess(code.rawValue)
  }
}
