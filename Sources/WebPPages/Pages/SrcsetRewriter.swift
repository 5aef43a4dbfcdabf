/// Replaces the images in a `srcset`. A `srcset` is a list of candidates; each has a URL and optionally a descriptor
/// (HTML Living Standard, section 4.8.4.2.1).
enum SrcsetRewriter {
  /// Returns the edits in a `srcset`.
  ///
  /// - Parameter isTyped: whether the element has a `type`, which applies to all candidates. Then either all candidates
  ///   are replaced or none.
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

  /// Returns the ranges of the candidates' URLs.
  private static func candidates(_ bytes: [UInt8]) -> [Range<Int>] {
    var candidates: [Range<Int>] = []
    var position = 0
    while let start = bytes[position...].firstIndex(where: { !$0.isWhitespace && $0 != .comma }) {
      position = bytes[start...].firstIndex { $0.isWhitespace } ?? bytes.count
      var end = position
      while bytes[end - 1] == .comma { end -= 1 }
      candidates.append(start..<end)
      // A comma at the end of the URL ends the candidate. Without such a comma, a descriptor follows, which ends at the
      // next comma outside of parentheses.
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
