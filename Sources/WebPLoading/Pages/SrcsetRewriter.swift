/// Replaces the images that a `srcset` names, each of which may have a descriptor (HTML Living Standard, section
/// 4.8.4.2.1).
enum SrcsetRewriter {
  /// - Parameter isTyped: one type applies to all candidates, so they are replaced together or not at all.
  static func edits(_ bytes: [UInt8], isTyped: Bool, _ replacements: PageReplacements) -> TextEdits {
    let candidates = candidates(bytes)
    let names = candidates.map { String(decoding: bytes[$0], as: UTF8.self) }
    let images = isTyped ? replacements.allImages(names) ?? [] : names.map(replacements.image)
    var edits = TextEdits()
    for (candidate, image) in zip(candidates, images) {
      if let image { edits.replace(candidate, by: image) }
    }
    return edits
  }

  /// The ranges of the URLs.
  private static func candidates(_ bytes: [UInt8]) -> [Range<Int>] {
    var candidates: [Range<Int>] = []
    var position = 0
    while let start = bytes[position...].firstIndex(where: { !$0.isWhitespace && $0 != .comma }) {
      position = bytes[start...].firstIndex { $0.isWhitespace } ?? bytes.count
      var end = position
      while bytes[end - 1] == .comma { end -= 1 }
      candidates.append(start..<end)
      // A comma at the end of the URL ends the candidate. Otherwise the next comma outside of parentheses does.
      guard end == position else { continue }
      var depth = 0
      while position < bytes.count, depth > 0 || bytes[position] != .comma {
        if bytes[position] == .openParenthesis { depth += 1 }
        if bytes[position] == .closeParenthesis { depth -= 1 }
        position += 1
      }
    }
    return candidates
  }
}
