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

  /// As HTML and CSS have it: all but the vertical tab.
  var isWhitespace: Bool { self == 32 || (9...13).contains(self) && self != 11 }
  var isLetter: Bool { (65...90).contains(self & ~32) }
}

extension String {
  /// A name of a page's or a header's, to be compared: its ASCII letters in lower case, each byte beyond ASCII as a
  /// character of its own. As UTF-8, combining marks are put in order first, in proportion to the square of their number:
  /// a name of 200 KB is half a minute's work.
  init(name bytes: some Sequence<UInt8>) {
    self.init(UnicodeScalarView(bytes.map { Unicode.Scalar($0.isLetter ? $0 | 32 : $0) }))
  }
}
