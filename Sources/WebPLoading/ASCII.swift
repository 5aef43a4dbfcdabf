extension UInt8 {
  package static let quote = UInt8(ascii: "\"")
  package static let apostrophe = UInt8(ascii: "'")
  package static let slash = UInt8(ascii: "/")
  package static let comma = UInt8(ascii: ",")
  package static let semicolon = UInt8(ascii: ";")
  package static let equals = UInt8(ascii: "=")
  package static let lessThan = UInt8(ascii: "<")
  package static let greaterThan = UInt8(ascii: ">")
  package static let backslash = UInt8(ascii: "\\")
  package static let newline = UInt8(ascii: "\n")
  package static let openParenthesis = UInt8(ascii: "(")
  package static let closeParenthesis = UInt8(ascii: ")")

  /// White space in HTML and CSS: ASCII white space except the vertical tab.
  package var isWhitespace: Bool { self == 32 || (9...13).contains(self) && self != 11 }
  package var isQuote: Bool { self == .quote || self == .apostrophe }
  package var isLetter: Bool { (65...90).contains(self & ~32) }
}

extension String {
  /// Converts a name in a page or a header to a form that can be compared: ASCII letters become lowercase, and each
  /// byte beyond ASCII becomes one character.
  ///
  /// The bytes are not decoded as UTF-8. Comparing strings normalizes combining marks, which takes quadratic time: half
  /// a minute for a name of 200 KB.
  package init(name bytes: some Sequence<UInt8>) {
    self.init(UnicodeScalarView(bytes.map { Unicode.Scalar($0.isLetter ? $0 | 32 : $0) }))
  }
}
