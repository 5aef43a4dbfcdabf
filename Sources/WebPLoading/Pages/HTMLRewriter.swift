import Foundation

/// Replaces the images that a page names (HTML Living Standard, section 13.2.5 for the tokens).
///
/// What the rewriter does not understand stays as it is.
struct HTMLRewriter {
  let bytes: [UInt8]
  var replacements: PageReplacements
  private var position = 0
  /// How many elements of SVG and MathML are open: within them, a tag may close itself.
  private var foreignDepth = 0
  var edits = Edits()
  var hasBase = false

  private static let foreign = ["svg", "math"]

  struct Attribute {
    let name: String
    /// From the name to the end of the value, with its quotes.
    let range: Range<Int>
    /// The value's bytes, as they are in the page.
    let content: ArraySlice<UInt8>
    /// With character references resolved.
    let value: String

    init(_ name: String, _ range: Range<Int>, _ content: ArraySlice<UInt8>) {
      self.name = name
      self.range = range
      self.content = content
      value = String(decoding: CharacterReferences(content).resolved, as: UTF8.self)
    }
  }

  /// - Parameter bytes: in UTF-8, or another encoding that has ASCII in its place.
  static func rewrite(_ bytes: [UInt8], _ replacements: PageReplacements) -> [UInt8] {
    var rewriter = HTMLRewriter(bytes: bytes, replacements: replacements)
    rewriter.scan()
    return rewriter.edits.applied(to: bytes)
  }

  private init(bytes: [UInt8], replacements: PageReplacements) {
    self.bytes = bytes
    self.replacements = replacements
  }

  private mutating func scan() {
    while let start = bytes[position...].firstIndex(of: .lessThan) {
      position = start + 1
      if starts(with: "!--") {
        skipComment()
      } else if Self.foreign.contains(where: { isEndTag(of: $0, at: start) }) {
        foreignDepth = max(0, foreignDepth - 1)
      } else if position < bytes.count, bytes[position].isLetter {
        tag(from: start)
      }
    }
  }

  private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  /// From behind its first character. It ends with "-->", to which the dashes that open it may belong, or "--!>".
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

  private mutating func tag(from start: Int) {
    let name = String(name: take { $0.isWhitespace || $0 == .slash || $0 == .greaterThan })
    var attributes: [Attribute] = []
    var names: Set<String> = []
    var closesItself = false
    while position < bytes.count, bytes[position] != .greaterThan {
      closesItself = bytes[position] == .slash
      if closesItself || bytes[position].isWhitespace {
        position += 1
      } else if let attribute = attribute(), names.insert(attribute.name).inserted {
        attributes.append(attribute)  // of two with one name the first counts
      }
    }
    rewrite(name, attributes, tag: start..<position)
    position = min(position + 1, bytes.count)
    if Self.foreign.contains(name), !closesItself { foreignDepth += 1 }
    if closesItself, foreignDepth > 0 { return }
    if ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"].contains(name) {
      let content = position
      skip(toEndOf: name)
      if name == "style" {
        edits.replace(CSSRewriter.edits(Array(bytes[content..<position]), replacements), at: { $0 + content })
      }
    }
  }

  private mutating func attribute() -> Attribute? {
    let first = position
    position += 1  // whatever it is, so that there is always progress
    _ = take { $0.isWhitespace || [.slash, .greaterThan, .equals].contains($0) }
    let name = String(name: bytes[first..<position])
    let next = bytes[position...].firstIndex { !$0.isWhitespace } ?? bytes.count
    guard next < bytes.count, bytes[next] == .equals else { return Attribute(name, first..<position, []) }
    guard let start = bytes[(next + 1)...].firstIndex(where: { !$0.isWhitespace }) else {
      position = bytes.count
      return nil
    }
    position = start
    let content: ArraySlice<UInt8>
    let quote = bytes[start]
    if quote == .quote || quote == .apostrophe {
      position += 1
      content = take { $0 == quote }
      position = min(position + 1, bytes.count)
    } else {
      content = take { $0.isWhitespace || $0 == .greaterThan }
    }
    return Attribute(name, first..<position, content)
  }

  private mutating func take(until end: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    position = bytes[position...].firstIndex(where: end) ?? bytes.count
    return bytes[start..<position]
  }

  private mutating func skip(toEndOf element: String) {
    while let next = bytes[position...].firstIndex(of: .lessThan) {
      position = next
      if isEndTag(of: element, at: next) { return }
      position += 1
    }
    position = bytes.count
  }

  private func isEndTag(of element: String, at place: Int) -> Bool {
    let tag = bytes[place...].prefix(element.utf8.count + 3)
    guard tag.starts(with: "</".utf8), let end = tag.last, end.isWhitespace || end == .slash || end == .greaterThan
    else { return false }
    return String(name: tag.dropFirst(2).dropLast()) == element
  }
}

extension UInt8 {
  fileprivate static let lessThan = UInt8(ascii: "<")
  fileprivate static let greaterThan = UInt8(ascii: ">")
}
