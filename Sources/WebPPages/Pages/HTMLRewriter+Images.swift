import Foundation

// The attributes that refer to images or to style sheets.

extension HTMLRewriter {
  /// Replaces the references in the attributes of a start tag.
  ///
  /// - Parameter tag: the range of the tag without its `>`, which may be missing at the end of the page.
  mutating func rewrite(_ element: String, _ attributes: [Attribute], tag: Range<Int>) {
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    let relations = Set((value("rel") ?? "").utf8.split(whereSeparator: \.isWhitespace).map(String.init(name:)))
    if element == "base", !hasBase, let url = value("href").flatMap(replacements.url) {
      replacements.base = url.asBase
      hasBase = true
    }
    if element == "link", relations.contains("stylesheet"), !relations.contains("alternate") {
      // A disabled link stays, because a script of the page may look for it and enable it. A link with a checksum
      // stays, because the browser must verify the checksum. Links of other types, and HTML links within SVG, stay
      // because browsers ignore them.
      guard foreign.isEmpty, !isLost, tag.upperBound < bytes.count, value("disabled") == nil,
        (value("integrity") ?? "").isEmpty,
        ["", "text/css"].contains(String(name: (value("type") ?? "").utf8.prefix { $0 != .semicolon })),
        let url = value("href").flatMap(replacements.url),
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

  /// Replaces a `link` by a `style` element. It gets the attributes of the link, because `media` and `onload` determine
  /// when the styles apply.
  private mutating func replaceLink(_ tag: Range<Int>, _ attributes: [Attribute], by sheet: String) {
    var opening = "<style"
    var end = tag.lowerBound
    for attribute in attributes where !["rel", "href", "type"].contains(attribute.name) {
      edits.replace(end..<attribute.range.lowerBound, by: opening + " ")
      (opening, end) = ("", attribute.range.upperBound)
    }
    edits.replace(end..<tag.upperBound + 1, by: "\(opening)>\(sheet)</style>")
  }

  /// Returns the edits in an attribute's value.
  ///
  /// Browsers without WebP support skip a `source` whose type is WebP (section 4.8.4.3.5). After its type became PNG,
  /// they can select any candidate of its `srcset`, so all candidates must be replaced.
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
    case (_, "data-src"):
      return attribute.replaced(by: replacements.inLazyAttributes.image(attribute.value))
    case (_, "data-bg"):
      // Some scripts expect a URL, others a value of `background-image`.
      let lazy = replacements.inLazyAttributes
      if !attribute.value.contains("(") { return attribute.replaced(by: lazy.image(attribute.value)) }
      return attribute.replaced { CSSRewriter.edits($0, lazy) }
    case (_, "data-srcset"):
      let lazy = replacements.inLazyAttributes
      return attribute.replaced { SrcsetRewriter.edits($0, isTyped: isTyped && element == "source", lazy) }
    case (_, "style"):
      return attribute.replaced { CSSRewriter.edits($0, replacements) }
    default:
      return TextEdits()
    }
  }
}

extension HTMLRewriter.Attribute {
  /// Returns the edit that replaces the value by `text`. If `text` is nil, the value is kept.
  fileprivate func replaced(by text: String?) -> TextEdits {
    var edits = TextEdits()
    if let text { edits.replace(content.indices, by: text.escapedForAttribute) }
    return edits
  }

  /// Returns the edits that `rewrite` makes in the value with character references resolved, as edits of the page. The
  /// text between the edits is not changed.
  fileprivate func replaced(_ rewrite: ([UInt8]) -> TextEdits) -> TextEdits {
    var references = CharacterReferences(content)
    var edits = TextEdits()
    edits.replace(rewrite(references.resolved), by: \.escapedForAttribute) { references.originalIndex(of: $0) }
    return edits
  }
}

extension String {
  /// The text with the character references that it needs as a value in single quotes, in double quotes, or without
  /// quotes.
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
