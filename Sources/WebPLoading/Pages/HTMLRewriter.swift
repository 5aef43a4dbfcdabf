import Foundation

/// Replaces the images that a page names (HTML Living Standard, section 13.2.5 for the tokens).
///
/// What the rewriter does not understand stays as it is.
struct HTMLRewriter {
  private let bytes: [UInt8]
  private var replacements: PageReplacements
  private var position = 0
  private var edits = Edits()
  private var hasBase = false

  private struct Attribute {
    let name: String
    /// Where the name is.
    let start: Int
    /// Of the value, with its quotes.
    let range: Range<Int>
    /// With character references resolved.
    let value: String
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
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start + 1
      if starts(with: "!--") {
        skip(past: "-->")
      } else if position < bytes.count, bytes[position].isLetter {
        tag(from: start)
      }
    }
  }

  private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  private mutating func skip(past text: String) {
    while position < bytes.count, !starts(with: text) { position += 1 }
    position = min(position + text.utf8.count, bytes.count)
  }

  private mutating func tag(from start: Int) {
    let name = text { $0.isWhitespace || $0 == .slash || $0 == .greaterThan }.lowercased()
    var attributes: [Attribute] = []
    var names: Set<String> = []
    while position < bytes.count, bytes[position] != .greaterThan {
      if bytes[position].isWhitespace || bytes[position] == .slash {
        position += 1
      } else if let attribute = attribute(), names.insert(attribute.name).inserted {
        attributes.append(attribute)  // of two with one name the first counts
      }
    }
    rewrite(name, attributes, tag: start..<position)
    position = min(position + 1, bytes.count)
    if ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"].contains(name) {
      let content = position
      skip(toEndOf: name)
      if name == "style" {
        edits.replace(CSSRewriter.edits(Array(bytes[content..<position]), replacements), from: content)
      }
    }
  }

  private mutating func attribute() -> Attribute? {
    let first = position
    position += 1  // whatever it is, so that there is always progress
    _ = text { $0.isWhitespace || [.slash, .greaterThan, .equals].contains($0) }
    let name = String(decoding: bytes[first..<position], as: UTF8.self).lowercased()
    let next = bytes[position...].firstIndex { !$0.isWhitespace } ?? bytes.count
    guard next < bytes.count, bytes[next] == .equals else {
      return Attribute(name: name, start: first, range: first..<position, value: "")
    }
    guard let start = bytes[(next + 1)...].firstIndex(where: { !$0.isWhitespace }) else {
      position = bytes.count
      return nil
    }
    position = start
    let value: String
    let quote = bytes[start]
    if quote == .quote || quote == .apostrophe {
      position += 1
      value = text { $0 == quote }
      position = min(position + 1, bytes.count)
    } else {
      value = text { $0.isWhitespace || $0 == .greaterThan }
    }
    return Attribute(
      name: name, start: first, range: start..<position, value: value.resolvingCharacterReferences)
  }

  private mutating func text(until end: (UInt8) -> Bool) -> String {
    let start = position
    position = bytes[position...].firstIndex(where: end) ?? bytes.count
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  private mutating func skip(toEndOf element: String) {
    while position < bytes.count {
      let name = bytes[position...].dropFirst(2).prefix(element.utf8.count)
      if starts(with: "</"), String(decoding: name, as: UTF8.self).lowercased() == element { return }
      position += 1
    }
  }
}

// MARK: Which attributes name images

extension HTMLRewriter {
  /// - Parameter tag: up to its `>`, which the last one may be without.
  private mutating func rewrite(_ element: String, _ attributes: [Attribute], tag: Range<Int>) {
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    let relations = Set((value("rel") ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init))
    if element == "base", !hasBase, let url = value("href").flatMap({ URL(inPage: $0, base: replacements.base) }) {
      replacements.base = url
      hasBase = true
    }
    if element == "link", relations.contains("stylesheet"), !relations.contains("alternate") {
      // A page's script may enable it, and would look for the link. What has a checksum is for the browser to check. And
      // browsers take no other types.
      guard value("disabled") == nil, (value("integrity") ?? "").isEmpty, tag.upperBound < bytes.count,
        ["", "text/css"].contains((value("type") ?? "").lowercased().prefix { $0 != ";" }),
        let url = value("href").flatMap({ URL(inPage: $0, base: replacements.base) }),
        let sheet = replacements.styleSheet(url)
      else { return }
      replaceLink(tag, attributes, by: sheet)
      return
    }

    var changed: [(attribute: Attribute, value: String)] = []
    for attribute in attributes {
      if let value = rewritten(attribute, of: element, relations) { changed.append((attribute, value)) }
    }
    let replacesImage = changed.contains { $0.attribute.name != "style" }
    if replacesImage, let type = attributes.first(where: { $0.name == "type" && $0.value.lowercased() == "image/webp" })
    {
      changed.append((type, "image/png"))
    }
    for (attribute, value) in changed.sorted(by: { $0.attribute.range.lowerBound < $1.attribute.range.lowerBound }) {
      edits.replace(attribute.range, by: value.quotedForAttribute)
    }
  }

  /// A style element has the attributes of the link: a page may load its styles late, by `media` and `onload`.
  private mutating func replaceLink(_ tag: Range<Int>, _ attributes: [Attribute], by sheet: String) {
    var opening = "<style"
    var end = tag.lowerBound
    for attribute in attributes where !["rel", "href", "type"].contains(attribute.name) {
      edits.replace(end..<attribute.start, by: opening + " ")
      (opening, end) = ("", attribute.range.upperBound)
    }
    // The only text that a style element cannot hold is its own end.
    let text = sheet.replacingOccurrences(of: "</", with: "<\\/")
    edits.replace(end..<tag.upperBound + 1, by: "\(opening)>\(text)</style>")
  }

  /// The new value of an attribute, or nil if it stays.
  private func rewritten(_ attribute: Attribute, of element: String, _ relations: Set<String>) -> String? {
    switch (element, attribute.name) {
    case ("img", "src"), ("input", "src"), ("embed", "src"), ("object", "data"), ("video", "poster"),
      ("image", "href"), ("image", "xlink:href"), ("feimage", "href"), ("feimage", "xlink:href"),
      ("body", "background"), ("table", "background"), ("td", "background"), ("th", "background"):
      return replacements.image(attribute.value)
    case ("link", "href") where !relations.isDisjoint(with: ["icon", "apple-touch-icon", "preload"]):
      return replacements.image(attribute.value)
    case ("img", "srcset"), ("source", "srcset"), ("link", "imagesrcset"):
      return candidates(attribute.value)
    case (_, "style"):
      let css = Array(attribute.value.utf8)
      let edits = CSSRewriter.edits(css, replacements)
      return edits.isEmpty ? nil : String(decoding: edits.applied(to: css), as: UTF8.self)
    default:
      return nil
    }
  }

  /// The URLs of a `srcset`, each of which may have a descriptor (section 4.8.4.2.1).
  private func candidates(_ srcset: String) -> String? {
    let bytes = Array(srcset.utf8)
    var edits = Edits()
    var position = 0
    while let start = bytes[position...].firstIndex(where: { !$0.isWhitespace && $0 != .comma }) {
      position = bytes[start...].firstIndex { $0.isWhitespace } ?? bytes.count
      var end = position
      while bytes[end - 1] == .comma { end -= 1 }
      if let image = replacements.image(String(decoding: bytes[start..<end], as: UTF8.self)) {
        edits.replace(start..<end, by: image)
      }
      // A comma right behind the URL ends the candidate; otherwise the next one does that is in no parentheses.
      guard end == position else { continue }
      var depth = 0
      while position < bytes.count, depth > 0 || bytes[position] != .comma {
        if bytes[position] == .openParenthesis { depth += 1 }
        if bytes[position] == .closeParenthesis { depth -= 1 }
        position += 1
      }
    }
    return edits.isEmpty ? nil : String(decoding: edits.applied(to: bytes), as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate static let greaterThan = UInt8(ascii: ">")
  fileprivate static let equals = UInt8(ascii: "=")
}

extension String {
  fileprivate var quotedForAttribute: String {
    "\"" + replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "\"", with: "&quot;") + "\""
  }
}
