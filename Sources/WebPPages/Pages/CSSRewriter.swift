import Foundation

/// Replaces the references to images and imported style sheets in a style sheet or `style` attribute (CSS Syntax Level
/// 3, section 4; CSS Images Level 4, section 2.4 for `image-set`).
struct CSSRewriter {
  private let bytes: [UInt8]
  private let replacements: PageReplacements
  private var position = 0
  private var edits = TextEdits()
  /// The lowercase names of the functions whose parentheses are open. The name of a parenthesis without function is
  /// empty.
  private var functions: [String] = []
  /// Indicates whether the last image was replaced by a PNG. In an `image-set`, a `type` after the image must then be
  /// changed too.
  private var replacedLast = false

  static func edits(_ bytes: [UInt8], _ replacements: PageReplacements) -> TextEdits {
    guard replacements.work.takeText(bytes.count) else { return TextEdits() }
    var rewriter = CSSRewriter(bytes: bytes, replacements: replacements)
    rewriter.scan()
    return rewriter.edits
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

  /// Replaces the URL of an `@import`, which is written as a string or as `url()` (CSS Cascading Level 4, section 2).
  private mutating func atRule() {
    position += 1
    guard word() == "import" else { return }
    while byte()?.isWhitespace == true || (byte() == .slash && byte(1) == UInt8(ascii: "*")) {
      if byte() == .slash { skipComment() } else { position += 1 }
    }
    let start = position
    if byte()?.isQuote == true {
      guard let text = quotedText(), let new = replacementOfSheet(text) else { return }
      edits.replace(start..<position, by: "\"\(new)\"")
    } else if word() == "url", byte() == .openParenthesis {
      position += 1
      url(from: start, isSheet: true)
    }
  }

  /// Returns a name in lower case and moves to its end.
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

  /// Replaces the argument of a `url(` that began at `start`, and moves past the closing parenthesis.
  private mutating func url(from start: Int, isSheet: Bool = false) {
    skipWhitespace()
    let text =
      byte()?.isQuote == true ? quotedText() : unescaped { $0 == .closeParenthesis || $0.isWhitespace }
    skipWhitespace()
    guard let text, byte() == .closeParenthesis else { return }
    position += 1
    let new = isSheet ? replacementOfSheet(text) : replacement(of: text)
    if let new { edits.replace(start..<position, by: "url(\"\(new)\")") }
  }

  /// Reads a string. In an `image-set`, it is a reference to an image; in a `type`, it is a media type.
  private mutating func string() {
    let start = position
    guard let text = quotedText() else { return }
    switch functions.last {
    case "image-set", "-webkit-image-set":
      if let new = replacement(of: text) { edits.replace(start..<position, by: "\"\(new)\"") }
    case "type" where replacedLast && String(name: text.utf8) == "image/webp":
      edits.replace(start..<position, by: "\"image/png\"")
    default: break
    }
  }

  /// - Returns: a URL, which needs no escapes within quotes, or nil to keep the reference.
  private mutating func replacement(of text: String) -> String? {
    replacedLast = false
    guard let url = url(text) else { return nil }
    let image = replacements.image(url)
    replacedLast = image != nil
    return image ?? replacements.other(url)
  }

  private mutating func replacementOfSheet(_ text: String) -> String? {
    guard let url = url(text) else { return nil }
    return replacements.importedSheet(url) ?? replacements.other(url)
  }

  /// Resolves a reference. After the end of the work, the rest of the text is not read.
  private mutating func url(_ text: String) -> URL? {
    let url = replacements.url(text)
    if url == nil, replacements.work.failure != nil { position = bytes.count }
    return url
  }

  private mutating func skipWhitespace() {
    while byte()?.isWhitespace == true { position += 1 }
  }

  /// Returns the content of the string at `position` and moves past its closing quote. Returns nil if the closing quote
  /// is missing.
  private mutating func quotedText() -> String? {
    let quote = bytes[position]
    position += 1
    let text = unescaped { $0 == quote || $0 == .newline }
    guard byte() == quote else { return nil }
    position += 1
    return text
  }

  /// Returns the text up to the first unescaped byte for which `end` returns true, with escapes resolved (section
  /// 4.3.7).
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
  /// Indicates whether the byte can be part of a name, or begins an escape in a name.
  fileprivate var isNameByte: Bool {
    self >= 128 || "-_\\".utf8.contains(self) || (48...57).contains(self) || isLetter
  }
}
