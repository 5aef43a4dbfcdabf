extension [UInt8] {
  /// The same style sheet, without any text that begins a tag, a comment or other markup in HTML. If browsers ignore
  /// the tag of a `style` element, for example in a `select` or `frameset`, they parse its text as HTML.
  ///
  /// Replacements of references do not begin markup either: URLs contain no `<`, and no `<` is left before an escape,
  /// which may begin `url(`.
  ///
  /// Nil if this is not possible. A `<` can mean “less than”, and may then be followed by a space (Media Queries Level
  /// 4, section 2.4.3). It can also be part of `<!--`, or of types such as `<length>`.
  var cssWithoutMarkup: [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var place = CSSPlace.rules
    var isEscaped = false  // by a preceding backslash
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

/// The kind of a part of a style sheet (CSS Syntax Level 3, section 4.3.1).
private enum CSSPlace: Equatable {
  case rules
  case url
  case string(UInt8)
  case comment(start: Int)

  var isComment: Bool { if case .comment = self { true } else { false } }

  /// The kind of the part that follows the byte at `index`.
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

  /// The byte begins markup if it follows `<` (HTML Living Standard, section 13.2.5.6).
  fileprivate var beginsMarkup: Bool { isLetter || "!/?\\".utf8.contains(self) }
}
