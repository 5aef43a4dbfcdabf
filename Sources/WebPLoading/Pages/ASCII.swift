extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let slash = UInt8(ascii: "/")
  static let comma = UInt8(ascii: ",")
  static let equals = UInt8(ascii: "=")
  static let newline = UInt8(ascii: "\n")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")

  /// As HTML and CSS have it: all but the vertical tab.
  var isWhitespace: Bool { self == 32 || (9...13).contains(self) && self != 11 }
  var isLetter: Bool { (65...90).contains(self & ~32) }
}
