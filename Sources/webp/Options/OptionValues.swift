// The operands of options.

import ArgumentParser
import PureWebP
import WebPExport

extension ArgumentHelp {
  /// The help of an option whose operand is a number.
  static func number(_ text: String) -> Self { Self(text, valueName: "n") }
}

extension NameSpecification {
  static let output: Self = [.customShort("o", allowingJoined: true), .customLong("output")]
  static let format: Self = [.customShort("f", allowingJoined: true), .customLong("format")]
}

extension WebP.Rectangle: ExpressibleByArgument {
  /// Parses `x,y,w,h`.
  public init?(argument: String) {
    let numbers = argument.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3]
    else { return nil }
    self.init(x: x, y: y, width: width, height: height)
  }
}

/// A box, `wxh` or `n`. One side may be omitted or 0, and is then unbounded. A single number is both sides.
struct Box: Sendable {
  let width: Int?
  let height: Int?

  init?(_ text: Substring) {
    guard let sides = lengths(of: text) else { return nil }
    (width, height) = (sides[0] == 0 ? nil : sides[0], sides.last == 0 ? nil : sides.last)
  }
}

/// Boxes, separated by commas.
struct Boxes: ExpressibleByArgument {
  let boxes: [Box]

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    boxes = parts.compactMap { Box($0) }
    if boxes.count < parts.count { return nil }
  }
}

/// A size: `wxh`, `w` or `n%`. One side may be omitted or 0, and then follows from the aspect ratio.
enum NewSize: ExpressibleByArgument {
  case sides(width: Int?, height: Int?)
  case percent(Double)

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent > 0, percent <= 100_000 else { return nil }
      self = .percent(percent)
    } else {
      guard let sides = lengths(of: argument[...])?.map({ $0 == 0 ? nil : $0 }) else { return nil }
      self = .sides(width: sides[0], height: sides.count == 2 ? sides[1] : nil)
    }
  }

  /// Returns the size for an image of this size.
  func size(for image: WebP.Size) -> WebP.OutputSize {
    switch self {
    case .sides(let width, let height): return .exact(width: width, height: height)
    case .percent(let percent):
      let scaled = [image.width, image.height].map { max(1, Int((Double($0) * percent / 100).rounded())) }
      return .exact(width: scaled[0], height: scaled[1])
    }
  }
}

/// Returns one or two numbers that are not negative and not all 0, or nil if the text is not `w`, `wxh`, `wx` or `xh`.
private func lengths(of text: Substring) -> [Int]? {
  let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { $0.isEmpty ? 0 : Int($0) ?? -1 }
  return sides.count <= 2 && sides.allSatisfy { $0 >= 0 } && sides.contains { $0 > 0 } ? sides : nil
}

/// The operand of --metadata.
struct MetadataKinds: ExpressibleByArgument {
  let kinds: [WebP.Metadata.Kind]

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    kinds = WebP.Metadata.Kind.allCases.filter { kind in names == ["all"] || names.contains { $0 == "\(kind)" } }
    if names.count != kinds.count && names != ["all"] { return nil }
  }
}

/// An opaque color: a name, `RRGGBB` or `RGB`. A `#` may precede the digits, but begins a comment in shells.
struct Color: ExpressibleByArgument {
  let color: WebP.Color

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
    guard let rgb = Self.names[argument.lowercased()] ?? number else { return nil }
    color = WebP.Color(integerLiteral: rgb)
  }
}
