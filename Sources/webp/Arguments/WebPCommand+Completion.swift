import ArgumentParser

extension WebPCommand {
  /// Returns the completion script that the command line requests. Returns nil if it requests none, or if the shell is
  /// unknown.
  ///
  /// ArgumentParser's scripts complete subcommands. This function extends them for the subcommands that follow `help`,
  /// for command lines without a subcommand, which are completed as for `decode`, and for the name `dwebp`.
  static func requestedCompletionScript(_ words: [String]) -> String? {
    let parts = words.joined(separator: "=").split(separator: "=")
    guard parts.first == "--generate-completion-script",
      let shell = parts.count > 1 ? CompletionShell(rawValue: String(parts[1])) : .autodetected()
    else { return nil }
    let script = completionScript(for: shell)
    return switch shell {
    case .zsh: zsh(script)
    case .fish: script + fishAdditions
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

    _webp_tool() {
        case "${2}" in
        -*) COMPREPLY=($(compgen -W '\(DWebPArguments.options)' -- "${2}")) ;;
        *) local IFS=$'\\n'; COMPREPLY=($(compgen -f -X '!*.webp' -- "${2}"; compgen -d -- "${2}")) ;;
        esac
    }
    complete -o filenames -F _webp_tool dwebp

    """
  }

  // MARK: zsh

  private static func zsh(_ script: String) -> String {
    let names = subcommands.joined(separator: "|") + "|help"
    let tool = """
      _webp_tool() {
          if [[ "${PREFIX}" = -* ]]; then compadd -- \(DWebPArguments.options); else _files -g '*.webp'; fi
      }

      _webp() {
          if [[ -n "${service}" && "${service}" != webp ]]; then _webp_tool; return; fi
          # The line as if it had the subcommand.
          if [[ "${words[2]}" != (\(names)|--version|--help) ]] &&
            [[ "${CURRENT}" -gt 2 || "${words[2]}" = (-*|*.webp|*/*) ]]
          then
              words=(webp decode "${words[@]:1}")
              ((CURRENT++))
          fi

      """
    return script.replacing("'*:subcommands:'", with: "'*:subcommands:(\(subcommands.joined(separator: " ")))'")
      .replacing("#compdef webp\n", with: "#compdef webp dwebp\n")
      .replacing("\n_webp() {\n", with: "\n" + tool)
  }

  // MARK: fish

  private static var fishAdditions: String {
    let help = #"__webp_should_offer_completions_for_positional "webp help" -ge 1"#
    var lines = ["", "complete -c webp -n '\(help)' -fa '\(subcommands.joined(separator: " "))'"]
    let isShort = "not __fish_seen_subcommand_from \(subcommands.joined(separator: " ")) help"
    lines.append("complete -c webp -n '\(isShort)' -F")
    for name in OptionNames(of: "decode").all {
      let kind = name.hasPrefix("--") ? "l" : name.utf8.count == 2 ? "s" : "o"
      lines.append("complete -c webp -n '\(isShort)' -\(kind) \(name.drop { $0 == "-" })")
    }
    for option in DWebPArguments.options.split(separator: " ") {
      lines.append("complete -c dwebp -\(option.utf8.count == 2 ? "s" : "o") \(option.dropFirst())")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
