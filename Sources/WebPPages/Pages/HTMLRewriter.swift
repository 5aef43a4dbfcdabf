import Foundation

/// Replaces the references to images and style sheets in a page. Section numbers refer to the HTML Living Standard; its
/// section 13.2.5 defines the tokens.
///
/// Text that the rewriter does not recognize is unchanged.
struct HTMLRewriter {
  let bytes: [UInt8]
  var replacements: PageReplacements
  /// The number of nested `srcdoc` attributes that contain the page. At a depth of 4, pages are not rewritten.
  let depth: Int
  var position = 0
  /// The names of the open `svg` and `math` elements. Within them, other rules apply (section 13.2.6.5): a tag can be
  /// self-closing, and elements such as `title` contain markup. No style sheet may be inserted there.
  private(set) var foreign: [String] = []
  /// Indicates whether browsers may recognize other tags than the rewriter from `position` on, because the rewriter
  /// does not implement all rules for SVG and MathML.
  private(set) var isLost = false
  var edits = TextEdits()
  /// Indicates whether a `base` element has set the base URL. Later ones have no effect.
  var hasBase = false

  struct Attribute {
    let name: String
    /// The range from the name to the end of the value, including quotes.
    let range: Range<Int>
    /// The value's bytes as written in the page.
    let content: ArraySlice<UInt8>
    /// The value with character references resolved.
    var value: String { String(decoding: CharacterReferences(content).resolved, as: UTF8.self) }
  }

  /// Returns the page with its references replaced.
  ///
  /// - Parameter bytes: the page, in UTF-8 or in another encoding that is a superset of ASCII.
  static func rewrite(_ bytes: [UInt8], _ replacements: PageReplacements) -> [UInt8] {
    edits(bytes, replacements).applied(to: bytes)
  }

  static func edits(_ bytes: [UInt8], _ replacements: PageReplacements, depth: Int = 0) -> TextEdits {
    guard depth < 4, replacements.work.takeText(bytes.count) else { return TextEdits() }
    var rewriter = HTMLRewriter(bytes: bytes, replacements: replacements, depth: depth)
    rewriter.scan()
    return rewriter.edits
  }

  private mutating func scan() {
    // After the end of the work, the rest of the page is not read.
    while replacements.work.failure == nil, let start = bytes[position...].firstIndex(of: .lessThan) {
      position = start + 1
      if starts(with: "!--") {
        skipComment()
      } else if isLetter(at: position) {
        startTag(from: start)
      } else if starts(with: "/"), isLetter(at: position + 1) {
        position += 1
        endTag()
      } else if ["!", "?", "/"].contains(where: starts) {
        skipBogusComment()
      }
    }
  }

  private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }
  private func isLetter(at index: Int) -> Bool { index < bytes.count && bytes[index].isLetter }

  /// Skips a comment, from the `!` of “<!--” on. It ends with “-->” or “--!>”. The dashes of “-->” may also be the
  /// dashes of “<!--”.
  private mutating func skipComment() {
    let start = position
    while let end = bytes[position...].firstIndex(of: .greaterThan) {
      position = end + 1
      let comment = bytes[start..<end]
      if comment.dropFirst().reversed().starts(with: "--".utf8) { return }
      if comment.dropFirst(3).reversed().starts(with: "!--".utf8) { return }
    }
    position = bytes.count
  }

  /// Skips a document type or another declaration, which ends at the first “>” (sections 13.2.5.6, 13.2.5.7, 13.2.5.41
  /// and 13.2.5.53 to 68).
  private mutating func skipBogusComment() {
    // In SVG and MathML, it may be a CDATA section, which ends at “]]>” (section 13.2.5.42).
    if starts(with: "![CDATA["), !foreign.isEmpty { isLost = true }
    _ = take { $0 == .greaterThan }
  }

  private mutating func startTag(from start: Int) {
    let (name, attributes, closesItself) = tag()
    rewrite(name, attributes, tag: start..<position)
    position = min(position + 1, bytes.count)
    if ["svg", "math"].contains(name), !closesItself { foreign.append(name) }
    guard Self.textual.contains(name) else { return }
    let content = position
    if foreign.isEmpty || !closesItself { skipText(of: name) }
    if name == "style" {
      edits.replace(CSSRewriter.edits(Array(bytes[content..<position]), replacements), at: { $0 + content })
    }
    // Within SVG and MathML, an element of this name can be an HTML element, whose content is text, or another element,
    // whose content may have tags. The rewriter does not determine which.
    if !foreign.isEmpty, closesItself || bytes[content..<position].contains(.lessThan) { isLost = true }
  }

  /// Reads an end tag. Its attributes have no effect (section 13.2.5.7), but must be parsed because they may contain
  /// “>”.
  private mutating func endTag() {
    let (name, _, _) = tag()
    if name == foreign.last { foreign.removeLast() }
  }

  /// Reads a tag, from its name up to its “>”.
  private mutating func tag() -> (name: String, attributes: [Attribute], closesItself: Bool) {
    let name = String(name: take { $0.isWhitespace || $0 == .slash || $0 == .greaterThan })
    var attributes: [Attribute] = []
    var names: Set<String> = []
    var closesItself = false
    while position < bytes.count, bytes[position] != .greaterThan {
      closesItself = bytes[position] == .slash
      if closesItself || bytes[position].isWhitespace {
        position += 1
      } else if let attribute = attribute(), names.insert(attribute.name).inserted {
        attributes.append(attribute)  // of several attributes with one name, browsers use the first
      }
    }
    return (name, attributes, closesItself)
  }

  private mutating func attribute() -> Attribute? {
    let first = position
    position += 1  // any byte, so that the loop always advances
    _ = take { $0.isWhitespace || [.slash, .greaterThan, .equals].contains($0) }
    let name = String(name: bytes[first..<position])
    let next = bytes[position...].firstIndex { !$0.isWhitespace } ?? bytes.count
    guard next < bytes.count, bytes[next] == .equals else {
      return Attribute(name: name, range: first..<position, content: [])
    }
    guard let start = bytes[(next + 1)...].firstIndex(where: { !$0.isWhitespace }) else {
      position = bytes.count
      return nil
    }
    position = start
    let content: ArraySlice<UInt8>
    let quote = bytes[start]
    if quote.isQuote {
      position += 1
      content = take { $0 == quote }
      position = min(position + 1, bytes.count)
    } else {
      content = take { $0.isWhitespace || $0 == .greaterThan }
    }
    return Attribute(name: name, range: first..<position, content: content)
  }

  private mutating func take(until end: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    position = bytes[position...].firstIndex(where: end) ?? bytes.count
    return bytes[start..<position]
  }
}
