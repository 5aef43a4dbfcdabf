/// Replaces the images that a `srcset` names, each of which may have a descriptor (HTML Living Standard, section
/// 4.8.4.2.1).
enum SrcsetRewriter {
  static func edits(_ bytes: [UInt8], _ replacements: PageReplacements) -> Edits {
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
    return edits
  }
}
