import Foundation

// The attributes that name images, or style sheets with images.

extension HTMLRewriter {
  /// - Parameter tag: the range up to and including `>`, which may be missing from the last tag.
  mutating func rewrite(_ element: String, _ attributes: [Attribute], tag: Range<Int>) {
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    let relations = Set((value("rel") ?? "").utf8.split(whereSeparator: \.isWhitespace).map(String.init(name:)))
    if element == "base", !hasBase, let url = value("href").flatMap({ URL(inPage: $0, base: replacements.base) }) {
      replacements.base = url
      hasBase = true
    }
    if element == "link", relations.contains("stylesheet"), !relations.contains("alternate") {
      // A script of the page may enable a disabled link, and would then look for it. A checksum must be verified by the
      // browser. Browsers ignore other types, and HTML links within SVG.
      guard foreign.isEmpty, !isLost, tag.upperBound < bytes.count, value("disabled") == nil,
        (value("integrity") ?? "").isEmpty,
        ["", "text/css"].contains(String(name: (value("type") ?? "").utf8.prefix { $0 != .semicolon })),
        let url = value("href").flatMap({ URL(inPage: $0, base: replacements.base) }),
        let sheet = replacements.styleSheet(url)
      else { return }
      replaceLink(tag, attributes, by: sheet)
      return
    }

    let type = attributes.first { $0.name == "type" && String(name: $0.value.utf8) == "image/webp" }
    var changed: [(attribute: Attribute, edits: TextEdits)] = []
    for attribute in attributes {
      let edits = edits(attribute, of: element, isTyped: type != nil, relations)
      if !edits.isEmpty { changed.append((attribute, edits)) }
    }
    let replacesImage = changed.contains { !["style", "srcdoc"].contains($0.attribute.name) }
    if replacesImage, let type { changed.append((type, type.replaced(by: "image/png"))) }
    for change in changed.sorted(by: { $0.attribute.range.lowerBound < $1.attribute.range.lowerBound }) {
      edits.replace(change.edits)
    }
  }

  /// The style element gets the attributes of the link, because a page may load its styles late, by `media` and
  /// `onload`.
  private mutating func replaceLink(_ tag: Range<Int>, _ attributes: [Attribute], by sheet: String) {
    var opening = "<style"
    var end = tag.lowerBound
    for attribute in attributes where !["rel", "href", "type"].contains(attribute.name) {
      edits.replace(end..<attribute.range.lowerBound, by: opening + " ")
      (opening, end) = ("", attribute.range.upperBound)
    }
    edits.replace(end..<tag.upperBound + 1, by: "\(opening)>\(sheet)</style>")
  }

  /// The edits in an attribute's value.
  ///
  /// Browsers without WebP support skip a source whose type is WebP (section 4.8.4.3.5). After conversion to PNG such a
  /// source can be selected, with whichever candidate fits the screen.
  ///
  /// - Parameter isTyped: whether the element's type is WebP.
  private func edits(_ attribute: Attribute, of element: String, isTyped: Bool, _ relations: Set<String>) -> TextEdits {
    switch (element, attribute.name) {
    case ("img", "src"), ("input", "src"), ("embed", "src"), ("object", "data"), ("video", "poster"),
      ("image", "href"), ("image", "xlink:href"), ("feimage", "href"), ("feimage", "xlink:href"),
      ("body", "background"), ("table", "background"), ("td", "background"), ("th", "background"):
      return attribute.replaced(by: replacements.image(attribute.value))
    case ("link", "href") where !relations.isDisjoint(with: ["icon", "apple-touch-icon"]):
      return attribute.replaced(by: replacements.image(attribute.value))
    case ("img", "srcset"), ("source", "srcset"):
      return attribute.replaced { SrcsetRewriter.edits($0, isTyped: isTyped && element == "source", replacements) }
    case ("iframe", "srcdoc"):
      return attribute.replaced { HTMLRewriter.edits($0, replacements, depth: depth + 1) }
    case (_, "style"):
      return attribute.replaced { CSSRewriter.edits($0, replacements) }
    default:
      return TextEdits()
    }
  }
}

extension HTMLRewriter.Attribute {
  /// - Parameter text: the new value. Nil to keep the old one.
  fileprivate func replaced(by text: String?) -> TextEdits {
    var edits = TextEdits()
    if let text { edits.replace(content.indices, by: text.escapedForAttribute) }
    return edits
  }

  /// - Parameter rewrite: edits the decoded value. The text between the edits is not changed.
  fileprivate func replaced(_ rewrite: ([UInt8]) -> TextEdits) -> TextEdits {
    var references = CharacterReferences(content)
    var edits = TextEdits()
    edits.replace(rewrite(references.resolved), by: \.escapedForAttribute) { references.place(of: $0) }
    return edits
  }
}

extension String {
  /// Escaped for attributes with quotes of either kind, or without quotes.
  fileprivate var escapedForAttribute: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for byte in utf8 {
      let isSpecial = byte.isWhitespace || "&\"'>".utf8.contains(byte)
      if isSpecial { bytes += Array("&#\(byte);".utf8) } else { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
