extension String {
  /// The same style sheet, with escapes for all characters beyond ASCII (CSS Syntax Level 3, section 4.3.7).
  var asciiCSS: [UInt8] {
    var output: [UInt8] = []
    // Indicates whether a backslash precedes the scalar. It then begins the escape, and no second one is written.
    var isEscaped = false
    for scalar in unicodeScalars {
      if scalar.isASCII {
        output.append(UInt8(scalar.value))
        isEscaped = scalar == "\\" && !isEscaped
      } else {
        // Without the space, a following hexadecimal digit would become part of the escape.
        output += Array("\(isEscaped ? "" : "\\")\(String(scalar.value, radix: 16)) ".utf8)
        isEscaped = false
      }
    }
    return output
  }
}

extension [UInt8] {
  /// The same style sheet, without any text that begins a tag, a comment or other markup in HTML. This is necessary
  /// because browsers ignore the tag of a `style` element in some places, such as `select` and `frameset`, and then
  /// parse its text as HTML.
  ///
  /// References that are replaced later do not introduce markup either. URLs contain no `<`. No `<` is left before a
  /// backslash, because an escape may begin the word `url`, and its replacement begins with a letter.
  ///
  /// In strings, comments and URLs, each `<` that begins markup is escaped. Elsewhere, it can mean “less than”. A space
  /// is then inserted after it (Media Queries Level 4, section 2.4.3). The result is nil if a `<` has another meaning,
  /// as in `<!--` and in types such as `<length>`.
  var cssWithoutMarkup: [UInt8]? {
    var output: [UInt8] = []
    output.reserveCapacity(count)
    var context = CSSContext.rules
    var isEscaped = false  // by a preceding backslash
    for (index, byte) in enumerated() {
      let rest = self[(index + 1)...]
      if byte != .lessThan || rest.first?.beginsMarkup != true {
        output.append(byte)
      } else if isEscaped || context != .rules {
        // Without the space, a following hexadecimal digit would become part of the escape (CSS Syntax Level 3,
        // section 4.3.7).
        output += Array((isEscaped ? "3C " : "\\3C ").utf8)
      } else {
        if rest.starts(with: "!--".utf8) || rest.first(where: { !$0.isLetter && $0 != .hyphen }) == .greaterThan {
          return nil
        }
        output += Array("< ".utf8)
      }
      if !isEscaped { context = context.after(index, in: self) }
      isEscaped = byte == .backslash && !isEscaped && !context.isComment
    }
    return output
  }
}

/// The context of a byte in a style sheet (CSS Syntax Level 3, section 4.3.1).
private enum CSSContext: Equatable {
  case rules
  case url
  /// A string that ends with the given quotation mark.
  case string(UInt8)
  case comment(start: Int)

  var isComment: Bool { if case .comment = self { true } else { false } }

  /// The context of the byte after the one at `index`.
  func after(_ index: Int, in css: [UInt8]) -> Self {
    let (byte, rest) = (css[index], css[(index + 1)...])
    switch (self, byte) {
    case (.rules, .quote), (.rules, .apostrophe): return .string(byte)
    case (.rules, .slash) where rest.first == .asterisk: return .comment(start: index)
    case (.rules, .openParenthesis) where String(name: css[..<index].suffix(3)) == "url":
      return rest.first(where: { !$0.isWhitespace })?.isQuote == true ? .rules : .url
    case (.url, .closeParenthesis), (.string, .newline), (.string(byte), _): return .rules
    case (.comment(let start), .slash) where index > start + 2 && css[index - 1] == .asterisk: return .rules
    default: return self
    }
  }
}

extension UInt8 {
  fileprivate static let asterisk = UInt8(ascii: "*")
  fileprivate static let hyphen = UInt8(ascii: "-")

  /// Indicates whether `<` and this byte begin markup (HTML Living Standard, section 13.2.5.6), or might do so after
  /// references are replaced. That is the case for a backslash.
  fileprivate var beginsMarkup: Bool { isLetter || "!/?\\".utf8.contains(self) }
}
