// Elements whose content is text, which ends at the end tag and has no other markup (HTML Living Standard, section
// 13.2.5).

extension HTMLRewriter {
  static let textual = ["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"]

  /// Skips the text up to the end tag.
  mutating func skipText(of element: String) {
    if element == "script" { return skipScript() }
    while let next = bytes[position...].firstIndex(of: .lessThan) {
      position = next
      if isTag("</", element, at: next) { return }
      position += 1
    }
    position = bytes.count
  }

  /// Skips a script up to its end tag. Between “<!--” and “-->”, a script may contain other scripts with their own end
  /// tags (sections 13.2.5.15 to 13.2.5.31). The two markers may share dashes, as in “<!-->”.
  private mutating func skipScript() {
    var (isEscaped, isWithinAnother) = (false, false)
    while let next = bytes[position...].firstIndex(where: { $0 == .lessThan || $0 == .greaterThan }) {
      position = next
      if bytes[next] == .greaterThan {
        if bytes[..<next].suffix(2).elementsEqual("--".utf8) { (isEscaped, isWithinAnother) = (false, false) }
      } else if isTag("</", "script", at: next) {
        if !isWithinAnother { return }
        isWithinAnother = false
      } else if isTag("<", "script", at: next) {
        isWithinAnother = isEscaped
      } else if bytes[next...].starts(with: "<!--".utf8) {
        isEscaped = true
      }
      position += 1
    }
    position = bytes.count
  }

  /// Indicates whether the text at `index` is `start` (`<` or `</`), the element name, and a character that ends names.
  private func isTag(_ start: String, _ name: String, at index: Int) -> Bool {
    let tag = bytes[index...].prefix(start.utf8.count + name.utf8.count + 1)
    guard tag.starts(with: start.utf8), let end = tag.last, end.isWhitespace || end == .slash || end == .greaterThan
    else { return false }
    return String(name: tag.dropFirst(start.utf8.count).dropLast()) == name
  }
}
