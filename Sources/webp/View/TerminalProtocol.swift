import ArgumentParser
import CommandSystem

/// The protocols by which terminals show images.
enum TerminalProtocol: String, ExpressibleByArgument, CaseIterable {
  /// kitty's protocol (sw.kovidgoyal.net/kitty/graphics-protocol).
  case kitty
  /// iTerm2's protocol (iterm2.com/documentation-images.html).
  case iterm2
  /// The DEC VT340's protocol (vt100.net/docs/vt3xx-gp/chapter14.html).
  case sixel
  /// Half blocks. Each character cell shows two pixels, in the foreground and the background color, with 24 bits each.
  case cells
  /// Half blocks in the 256 colors of xterm's palette.
  case cells256

  /// Indicates whether the terminal receives pixels rather than characters.
  var showsPixels: Bool { self != .cells && self != .cells256 }

  /// The best protocol that the environment variables indicate, or nil if the terminal has fewer than 256 colors.
  static var detected: Self? {
    let terminal = environment("TERM") ?? ""
    guard terminal != "dumb" else { return nil }
    // Inside tmux and screen, the variables still describe the outer terminal, but the multiplexer discards its
    // protocols for images.
    let isMultiplexed = environment("TMUX") != nil || environment("STY") != nil
    return (isMultiplexed ? nil : pixelProtocol(of: terminal)) ?? cellProtocol(of: terminal)
  }

  private static func pixelProtocol(of terminal: String) -> Self? {
    if environment("KITTY_WINDOW_ID") != nil { return .kitty }
    switch terminal {
    case "xterm-kitty", "xterm-ghostty": return .kitty
    case "foot", "foot-extra", "mlterm", "yaft-256color": return .sixel
    default: break
    }
    return switch environment("TERM_PROGRAM") {
    case "ghostty": .kitty
    case "iTerm.app", "WezTerm", "mintty": .iterm2
    default: nil
    }
  }

  private static func cellProtocol(of terminal: String) -> Self? {
    if ["truecolor", "24bit"].contains(environment("COLORTERM")) || terminal.hasSuffix("-direct") { return .cells }
    // Terminals with these names have 256 colors, although the names do not say so.
    let isCapable = [
      "xterm", "screen", "tmux", "alacritty", "wezterm", "xterm-kitty", "xterm-ghostty", "foot", "mlterm",
    ]
    .contains(terminal)
    return isCapable || terminal.hasSuffix("256color") ? .cells256 : nil
  }
}
