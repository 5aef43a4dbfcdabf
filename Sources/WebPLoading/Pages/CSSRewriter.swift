import Foundation

/// Replaces the images that a style sheet, or a style attribute, names (CSS Syntax Level 3, section 4; CSS Images Level
/// 4, section 2.4 for `image-set`).
struct CSSRewriter {
  private let bytes: [UInt8]
  private let replacements: PageReplacements
  private var position = 0
  private var edits = TextEdits()
  /// The names of the open functions, in lower case. Empty for a plain parenthesis.
  private var functions: [String] = []
  /// Indicates whether the last image was replaced. A `type` that follows it in an `image-set` refers to it.
  private var replacedLast = false

  static func edits(_ bytes: [UInt8], _ replacements: PageReplacements) -> TextEdits {
    var rewriter = CSSRewriter(bytes: bytes, replacements: replacements)
    rewriter.scan()
    return rewriter.edits
  }

  private init(bytes: [UInt8], replacements: PageReplacements) {
    self.bytes = bytes
    self.replacements = replacements
  }

  private func byte(_ offset: Int = 0) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  private mutating func scan() {
    while let next = byte() {
      switch next {
      case .slash where byte(1) == UInt8(ascii: "*"): skipComment()
      case .quote, .apostrophe: string()
      case UInt8(ascii: "@"): atRule()
      case .openParenthesis:
        functions.append("")
        position += 1
      case .closeParenthesis:
        _ = functions.popLast()
        position += 1
      case _ where next.isNameByte: name()
      default: position += 1
      }
    }
  }

  private mutating func skipComment() {
    position += 2
    while byte() != nil, !(byte() == UInt8(ascii: "*") && byte(1) == .slash) { position += 1 }
    position = min(position + 2, bytes.count)
  }

  /// Replaces the URL of an `@import`, which may be a string alone (CSS Cascading Level 4, section 2).
  private mutating func atRule() {
    position += 1
    guard word() == "import" else { return }
    while byte()?.isWhitespace == true || (byte() == .slash && byte(1) == UInt8(ascii: "*")) {
      if byte() == .slash { skipComment() } else { position += 1 }
    }
    let start = position
    if byte() == .quote || byte() == .apostrophe {
      guard let quote = byte(), let text = string(quote), let new = replacementOfSheet(text) else { return }
      edits.replace(start..<position, by: "\"\(new)\"")
    } else if word() == "url", byte() == .openParenthesis {
      position += 1
      url(from: start, isSheet: true)
    }
  }

  /// Returns a name, in lower case, and moves past its end.
  private mutating func word() -> String { String(name: unescaped { !$0.isNameByte }.utf8) }

  private mutating func name() {
    let start = position
    let name = word()
    guard byte() == .openParenthesis else { return }
    position += 1
    if name == "url" {
      url(from: start)
    } else {
      functions.append(name)
    }
  }

  /// After `url(`.
  private mutating func url(from start: Int, isSheet: Bool = false) {
    skipWhitespace()
    let text: String
    if let quote = byte(), quote == .quote || quote == .apostrophe {
      guard let content = string(quote) else { return }
      text = content
    } else {
      text = unescaped { $0 == .closeParenthesis || $0.isWhitespace }
    }
    skipWhitespace()
    guard byte() == .closeParenthesis else { return }
    position += 1
    let new = isSheet ? replacementOfSheet(text) : replacement(of: text)
    if let new { edits.replace(start..<position, by: "url(\"\(new)\")") }
  }

  /// A string in an `image-set` is a reference.
  private mutating func string() {
    let start = position
    guard let quote = byte(), let text = string(quote) else { return }
    switch functions.last {
    case "image-set", "-webkit-image-set":
      if let new = replacement(of: text) { edits.replace(start..<position, by: "\"\(new)\"") }
    case "type" where replacedLast && String(name: text.utf8) == "image/webp":
      edits.replace(start..<position, by: "\"image/png\"")
    default: break
    }
  }

  /// - Returns: a URL. It has no quotes, backslashes or newlines that would have to be escaped.
  private mutating func replacement(of text: String) -> String? {
    replacedLast = false
    guard let url = URL(inPage: text, base: replacements.base) else { return nil }
    let image = replacements.image(url)
    replacedLast = image != nil
    return image ?? replacements.other(url)
  }

  private func replacementOfSheet(_ text: String) -> String? {
    guard let url = URL(inPage: text, base: replacements.base) else { return nil }
    return replacements.importedSheet(url) ?? replacements.other(url)
  }

  private mutating func skipWhitespace() {
    while byte()?.isWhitespace == true { position += 1 }
  }

  /// Returns the content of a string, and moves past its end. Nil if the string is incomplete.
  private mutating func string(_ quote: UInt8) -> String? {
    position += 1
    let text = unescaped { $0 == quote || $0 == .newline }
    guard byte() == quote else { return nil }
    position += 1
    return text
  }

  /// Resolves escapes (section 4.3.7).
  private mutating func unescaped(until end: (UInt8) -> Bool) -> String {
    var text: [UInt8] = []
    while let next = byte(), !end(next) {
      position += 1
      guard next == .backslash, let escaped = byte() else {
        text.append(next)
        continue
      }
      let digits = bytes[position...].prefix(6).prefix { Character(Unicode.Scalar($0)).isHexDigit }
      if let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) {
        position += digits.count
        if byte()?.isWhitespace == true { position += 1 }
        text += Array(String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
      } else {
        position += 1
        if escaped != .newline { text.append(escaped) }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt8 {
  /// The byte belongs to a name, or to an escape in a name.
  fileprivate var isNameByte: Bool {
    self >= 128 || "-_\\".utf8.contains(self) || (48...57).contains(self) || isLetter
  }
}
