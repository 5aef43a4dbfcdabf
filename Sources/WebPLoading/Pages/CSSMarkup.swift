extension [UInt8] {
  /// The same style sheet, which begins no tag, comment or anything else of HTML's, wherever it lands: where browsers pass
  /// over the tag of a `style` element, as in a `select` or `frameset`, they read its text as they read the page.
  ///
  /// Also what takes the place of references in it begins nothing: there is no `<` in URLs, and none is left before an
  /// escape, which may begin `url(`.
  ///
  /// Nil if that is not to be had: `<` is the sign for "less than", which may have a space behind it (Media Queries
  /// Level 4, section 2.4.3), but also part of `<!--` and of types such as `<length>`.
  var cssWithoutMarkup: [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var place = CSSPlace.rules
    var isEscaped = false  // by a backslash before it
    for (index, byte) in enumerated() {
      let rest = self[(index + 1)...]
      if byte != .lessThan || rest.first?.beginsMarkup != true {
        output.append(byte)
      } else if isEscaped || place != .rules {
        // The space ends the escape, whatever follows (CSS Syntax Level 3, section 4.3.7).
        output += Array((isEscaped ? "3C " : "\\3C ").utf8)
      } else {
        if rest.starts(with: "!--".utf8) || rest.first(where: { !$0.isLetter && $0 != .hyphen }) == .greaterThan {
          return nil
        }
        output += Array("< ".utf8)
      }
      if !isEscaped { place = place.after(index, in: self) }
      isEscaped = byte == .backslash && !isEscaped && !place.isComment
    }
    return output
  }
}

/// What a part of a style sheet is (CSS Syntax Level 3, section 4.3.1).
private enum CSSPlace: Equatable {
  case rules
  case url
  case string(UInt8)
  case comment(start: Int)

  var isComment: Bool { if case .comment = self { true } else { false } }

  /// The place behind a byte that is in this one.
  func after(_ index: Int, in css: [UInt8]) -> Self {
    let (byte, rest) = (css[index], css[(index + 1)...])
    switch (self, byte) {
    case (.rules, .quote), (.rules, .apostrophe): return .string(byte)
    case (.rules, .slash) where rest.first == .asterisk: return .comment(start: index)
    case (.rules, .openParenthesis) where String(name: css[..<index].suffix(3)) == "url":
      let first = rest.first { !$0.isWhitespace }
      return first == .quote || first == .apostrophe ? .rules : .url
    case (.url, .closeParenthesis), (.string, .newline), (.string(byte), _): return .rules
    case (.comment(let start), .slash) where index > start + 2 && css[index - 1] == .asterisk: return .rules
    default: return self
    }
  }
}

extension UInt8 {
  fileprivate static let asterisk = UInt8(ascii: "*")
  fileprivate static let hyphen = UInt8(ascii: "-")

  /// Behind a `<` (HTML Living Standard, section 13.2.5.6).
  fileprivate var beginsMarkup: Bool { isLetter || "!/?\\".utf8.contains(self) }
}
