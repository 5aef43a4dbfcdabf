import ArgumentParser

extension WebPCommand {
  /// Returns the completion script that the command line requests. Returns nil if it requests none, or if the shell is
  /// unknown.
  ///
  /// ArgumentParser's scripts complete subcommands. This function extends them for the subcommands that follow `help`,
  /// and for command lines without a subcommand, which are completed as for `decode`.
  static func requestedCompletionScript(_ words: [String]) -> String? {
    guard words.first?.hasPrefix("--generate-completion-script") == true else { return nil }
    let parts = words.joined(separator: "=").split(separator: "=")
    let named = parts.count > 1 ? CompletionShell(rawValue: String(parts[1])) : .autodetected()
    guard let shell = named else { return nil }
    let script = completionScript(for: shell)
    return switch shell {
    case .zsh: zsh(script)
    case .fish: script + fishAdditions(to: script)
    default: script + bashAdditions
    }
  }

  private static let subcommands = configuration.subcommands.compactMap { $0.configuration.commandName }

  // MARK: bash

  private static var bashAdditions: String {
    """

    _webp_help() { COMPREPLY=($(compgen -W '\(subcommands.joined(separator: " "))' -- "${cur}")); }

    _webp_or_decode() {
        case "${COMP_WORDS[1]}" in
        \(subcommands.joined(separator: "|"))|help|--version|--help) _webp "$@" && return ;;
        esac
        [[ "${COMP_CWORD}" -gt 1 ]] || _webp "$@"
        # The line as if it had the subcommand.
        local -i start="$((${#COMP_LINE} - ${#COMP_WORDS[0]}))"
        COMP_LINE="webp decode${COMP_LINE:${#COMP_WORDS[0]}}"
        COMP_POINT="$((COMP_POINT + ${#COMP_LINE} - ${#COMP_WORDS[0]} - start))"
        COMP_WORDS=(webp decode "${COMP_WORDS[@]:1}")
        COMP_CWORD="$((COMP_CWORD + 1))"
        _webp "$@"
    }
    complete -o filenames -F _webp_or_decode webp

    """
  }

  // MARK: zsh

  private static func zsh(_ script: String) -> String {
    let names = subcommands.joined(separator: "|") + "|help"
    let start = """
      _webp() {
          # The line as if it had the subcommand.
          if [[ "${words[2]}" != (\(names)|--version|--help) ]] &&
            [[ "${CURRENT}" -gt 2 || "${words[2]}" = (-*|*.webp|*/*) ]]
          then
              words=(webp decode "${words[@]:1}")
              ((CURRENT++))
          elif [[ "${CURRENT}" -eq 2 ]]
          then
              _files -g '*.webp'
          fi

      """
    return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(subcommands.joined(separator: " ")))'")
      .replacing("\n_webp() {\n", with: "\n" + start)
  }

  // MARK: fish

  private static func fishAdditions(to script: String) -> String {
    let help = #"__webp_should_offer_completions_for_positional "webp help" -ge 1"#
    var lines = ["", "complete -c webp -n '\(help)' -fa '\(subcommands.joined(separator: " "))'"]
    let isShort = "not __fish_seen_subcommand_from \(subcommands.joined(separator: " ")) help"
    lines.append("complete -c webp -n '\(isShort)' -F")
    // The lines of decode's options, `complete -c 'webp' -n 'CONDITION' …`, with another condition.
    let condition = "__webp_should_offer_completions_for_flags_or_options \"webp decode\""
    lines += script.split(separator: "\n").filter { $0.contains(condition) }.map { line in
      let parts = line.split(separator: "'", maxSplits: 4)
      return "complete -c webp -n '\(isShort)'\(parts[4])"
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
