/// Replacements in a text. All other bytes stay unchanged.
struct TextEdits {
  private var edits: [(range: Range<Int>, text: String)] = []

  var isEmpty: Bool { edits.isEmpty }

  /// Adds a replacement. Ranges must be in ascending order.
  mutating func replace(_ range: Range<Int>, by text: String) { edits.append((range, text)) }

  /// - Parameters:
  ///   - other: replacements in a part of the text, or in the decoded form of a part.
  ///   - written: encodes their texts.
  ///   - place: maps their indices to this text. Called in ascending order.
  mutating func replace(
    _ other: TextEdits, by written: (String) -> String = { $0 }, at place: (Int) -> Int = { $0 }
  ) {
    for edit in other.edits {
      let start = place(edit.range.lowerBound)
      edits.append((start..<place(edit.range.upperBound), written(edit.text)))
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
