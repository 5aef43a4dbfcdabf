import ArgumentParser
import PureWebP

/// The properties of image files that are written, as options of a command.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Blend transparent pixels with a color: a name of CSS's basic colors such as white, or RRGGBB.",
      valueName: "color"))
  var background: Color?

  @Flag(help: "Give the output the modification time of the input.")
  var keepTime = false

  @Flag(help: "PNG: Store RGB or RGBA, even if gray or a palette suffices.")
  var keepColors = false

  /// Returns a message about the parts of the input that an output does not contain, or nil if there are none.
  static func message(on losses: [WebP.Loss]) -> String? {
    guard !losses.isEmpty else { return nil }
    let texts = losses.map { loss in
      switch loss {
      case .alpha: "alpha (--background blends it with a color)"
      case .orientation: "orientation (--upright rotates the pixels)"
      case .profile(.unsupported): "ICC profile"
      case .profile(let reason): "ICC profile (\(reason))"
      case .frames, .exif, .xmp: "\(loss)"
      }
    }
    return "left out \(texts.joined(separator: ", "))"
  }
}

/// The operand of --metadata.
struct MetadataKinds: ExpressibleByArgument {
  let kinds: [WebP.Metadata.Kind]

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    kinds = WebP.Metadata.Kind.allCases.filter { kind in names.contains { $0 == "\(kind)" } }
    if names.count != kinds.count { return nil }
  }
}

/// An opaque color: a name, `RRGGBB` or `RGB`. A `#` may precede the digits, but begins a comment in shells.
struct Color: ExpressibleByArgument {
  /// The color as 0xFFRRGGBB.
  let argb: UInt32

  /// The basic color keywords (CSS Color Module Level 3, section 4.1), and the other spelling of gray.
  private static let names: [String: UInt32] = [
    "aqua": 0x00FFFF, "black": 0x000000, "blue": 0x0000FF, "fuchsia": 0xFF00FF, "gray": 0x808080, "green": 0x008000,
    "grey": 0x808080, "lime": 0x00FF00, "maroon": 0x800000, "navy": 0x000080, "olive": 0x808000, "purple": 0x800080,
    "red": 0xFF0000, "silver": 0xC0C0C0, "teal": 0x008080, "white": 0xFFFFFF, "yellow": 0xFFFF00,
  ]

  init?(argument: String) {
    var digits = argument.lowercased()
    if digits.hasPrefix("#") { digits.removeFirst() }
    if digits.utf8.count == 3 { digits = digits.map { "\($0)\($0)" }.joined() }
    let number = digits.utf8.count == 6 && digits.allSatisfy(\.isHexDigit) ? UInt32(digits, radix: 16) : nil
    guard let color = Self.names[argument.lowercased()] ?? number else { return nil }
    argb = 0xFF00_0000 | color
  }
}
