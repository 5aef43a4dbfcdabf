/// Replacements of ranges of a text. All other bytes of the text are kept.
struct TextEdits {
  private var edits: [(range: Range<Int>, text: String)] = []

  var isEmpty: Bool { edits.isEmpty }

  /// Adds a replacement. Ranges must be in ascending order.
  mutating func replace(_ range: Range<Int>, by text: String) { edits.append((range, text)) }

  /// Adds the replacements in a part of the text, or in the decoded form of a part.
  ///
  /// - Parameters:
  ///   - other: the replacements. Their ranges refer to the part.
  ///   - written: encodes the texts of `other` for this text.
  ///   - index: maps indices in the part to indices in this text. Called in ascending order.
  mutating func replace(
    _ other: TextEdits, by written: (String) -> String = { $0 }, at index: (Int) -> Int = { $0 }
  ) {
    for edit in other.edits {
      let start = index(edit.range.lowerBound)
      edits.append((start..<index(edit.range.upperBound), written(edit.text)))
    }
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var copied = 0
    for edit in edits {
      output += bytes[copied..<edit.range.lowerBound]
      output += Array(edit.text.utf8)
      copied = edit.range.upperBound
    }
    return output + bytes[copied...]
  }
}
