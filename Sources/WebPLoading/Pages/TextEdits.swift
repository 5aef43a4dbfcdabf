/// Text with some of its bytes replaced. Everything else stays, byte by byte.
struct TextEdits {
  private var edits: [(range: Range<Int>, text: String)] = []

  var isEmpty: Bool { edits.isEmpty }

  /// TextEdits come in the order of their ranges.
  mutating func replace(_ range: Range<Int>, by text: String) { edits.append((range, text)) }

  /// - Parameters:
  ///   - other: edits of a part of the bytes, or of what a part means.
  ///   - written: how their texts are written here.
  ///   - place: where an index of theirs is here. Asked for one after another.
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
