extension UInt8 {
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")
  static let equals = UInt8(ascii: "=")

  /// White space in a header field (RFC 9110, section 5.6.3).
  var isBlank: Bool { self == 32 || self == 9 }
  var isLetter: Bool { (65...90).contains(self & ~32) }
}

extension String {
  /// Converts a name in a header to a form that can be compared: ASCII letters become lowercase, and each byte beyond
  /// ASCII becomes one character.
  ///
  /// The bytes are not decoded as UTF-8. Comparing strings normalizes combining marks, which takes quadratic time: half
  /// a minute for a name of 200 KB.
  init(name bytes: some Sequence<UInt8>) {
    self.init(UnicodeScalarView(bytes.map { Unicode.Scalar($0.isLetter ? $0 | 32 : $0) }))
  }
}
