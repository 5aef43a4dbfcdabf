import Foundation

/// Reads sixel graphics as the VT330/VT340 Programmer Reference Manual, chapter 14, specifies, one character at a time.
struct SixelReader {
  private(set) var width = 0
  private(set) var height = 0
  /// Red, green and blue from 0 to 255; nil for a pixel that was not drawn.
  private(set) var pixels: [[Int]?] = []

  /// Nil if the control string is malformed, or draws beyond the size that it declares.
  init?(_ data: Data) {
    var rest = String(decoding: data, as: UTF8.self)[...]
    guard rest.hasPrefix("\u{1B}P0;1q\"1;1;"), rest.hasSuffix("\u{1B}\\\n") else { return nil }
    rest = rest.dropFirst(10).dropLast(3)
    func numbers() -> [Int] {
      let text = rest.prefix { $0.isNumber || $0 == ";" }
      rest = rest.dropFirst(text.count)
      return text.split(separator: ";").compactMap { Int($0) }
    }
    let size = numbers()
    guard size.count == 2 else { return nil }
    (width, height) = (size[0], size[1])
    pixels = Array(repeating: nil, count: width * height)
    var registers: [Int: [Int]] = [:]
    var (register, x, y, count) = (-1, 0, 0, 1)
    while let character = rest.popFirst() {
      switch character {
      case "#":
        let parameters = numbers()
        guard let first = parameters.first, 0..<256 ~= first else { return nil }
        register = first
        if parameters.count == 5, parameters[1] == 2 { registers[first] = parameters[2...].map { $0 * 255 / 100 } }
      case "!":
        guard let number = numbers().first else { return nil }
        count = number
      case "$": x = 0
      case "-": (x, y) = (0, y + 6)
      case "?"..."~":
        let bits = Int(character.asciiValue!) - 0x3F
        for bit in 0..<6 where bits >> bit & 1 == 1 {
          guard let color = registers[register], x + count <= width, y + bit < height else { return nil }
          for column in x..<x + count { pixels[(y + bit) * width + column] = color }
        }
        (x, count) = (x + count, 1)
      default: return nil
      }
    }
  }
}
