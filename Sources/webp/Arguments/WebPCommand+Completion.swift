import ArgumentParser

extension WebPCommand {
  /// Returns the completion script that the command line requests. Returns nil if it requests none, or if the shell is
  /// unknown.
  ///
  /// ArgumentParser adds the subcommand `help`, but its scripts do not complete the subcommands that follow `help`.
  /// This function extends the scripts to do so.
  static func requestedCompletionScript(_ words: [String]) -> String? {
    let parts = words.joined(separator: "=").split(separator: "=")
    guard parts.first == "--generate-completion-script",
      let shell = parts.count > 1 ? CompletionShell(rawValue: String(parts[1])) : .autodetected()
    else { return nil }
    let script = completionScript(for: shell)
    let subcommands = configuration.subcommands.compactMap { $0.configuration.commandName }.joined(separator: " ")
    return switch shell {
    case .zsh: script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(subcommands))'")
    case .fish: script + "\ncomplete -c webp -n '\(followsHelp)' -fa '\(subcommands)'\n"
    default: script + "\n_webp_help() { COMPREPLY=($(compgen -W '\(subcommands)' -- \"${cur}\")); }\n"
    }
  }

  private static let followsHelp = #"__webp_should_offer_completions_for_positional "webp help" -ge 1"#
}
