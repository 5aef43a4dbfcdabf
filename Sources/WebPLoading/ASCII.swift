extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let slash = UInt8(ascii: "/")
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")
  static let equals = UInt8(ascii: "=")
  static let lessThan = UInt8(ascii: "<")
  static let greaterThan = UInt8(ascii: ">")
  static let backslash = UInt8(ascii: "\\")
  static let newline = UInt8(ascii: "\n")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")

  /// White space in HTML and CSS: ASCII white space except the vertical tab.
  var isWhitespace: Bool { self == 32 || (9...13).contains(self) && self != 11 }
  var isQuote: Bool { self == .quote || self == .apostrophe }
  var isLetter: Bool { (65...90).contains(self & ~32) }
}

extension String {
  /// Converts a name in a page or a header to a form that can be compared: ASCII letters become lowercase, and each
  /// byte beyond ASCII becomes one character.
  ///
  /// The bytes are not decoded as UTF-8. Comparing strings normalizes combining marks, which takes quadratic time: half
  /// a minute for a name of 200 KB.
  init(name bytes: some Sequence<UInt8>) {
    self.init(UnicodeScalarView(bytes.map { Unicode.Scalar($0.isLetter ? $0 | 32 : $0) }))
  }
}
