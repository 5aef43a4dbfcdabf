import Foundation

extension URL {
  /// Whether it names a file of this machine's.
  var isFile: Bool { scheme?.lowercased() == "file" }

  /// Whether it is an address by http or https.
  var isHTTP: Bool { ["http", "https"].contains(scheme?.lowercased()) }

  /// Whether all there is to load is in it (RFC 2397).
  var isData: Bool { scheme?.lowercased() == "data" }

  /// Whether the path ends in .webp, or it is a data URL of that type.
  var looksLikeWebP: Bool {
    isData
      ? absoluteString.lowercased().hasPrefix("data:image/webp") : pathExtension.lowercased() == "webp"
  }

  /// The URL that `text` means in a document at `base`; nil if it means none.
  init?(inPage text: String, base: URL) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { return nil }
    // Browsers take spaces and other characters that a URL should have escaped.
    let escaped = trimmed.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed.union(["%", "#"]))
    guard let url = URL(string: trimmed, relativeTo: base) ?? escaped.flatMap({ URL(string: $0, relativeTo: base) })
    else { return nil }
    self = url.absoluteURL
  }
}

/// What takes the place of what a page names.
struct PageReplacements {
  /// Where the page or style sheet is, which relative URLs start from.
  var base: URL
  /// What is to be written instead of the URL of an image; nil: it stays.
  let image: (URL) -> String?
  /// The text of a linked style sheet that is to take the place of its link; nil: the link stays.
  let styleSheet: (URL) -> String?
  /// What is to be written instead of the URL of anything else that a style sheet names; nil: it stays.
  var other: (URL) -> String? = { _ in nil }

  func image(_ text: String) -> String? { URL(inPage: text, base: base).flatMap(image) }
}

/// Text with some of its bytes replaced. Everything else stays, byte by byte.
struct Edits {
  private var edits: [(range: Range<Int>, text: String)] = []

  var isEmpty: Bool { edits.isEmpty }

  /// Edits come in the order of their ranges.
  mutating func replace(_ range: Range<Int>, by text: String) { edits.append((range, text)) }

  /// - Parameters:
  ///   - other: edits of a part of the bytes, or of what a part means.
  ///   - written: how their texts are written here.
  ///   - place: where an index of theirs is here. Asked for one after another.
  mutating func replace(
    _ other: Edits, by written: (String) -> String = { $0 }, at place: (Int) -> Int = { $0 }
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

extension UInt8 {
  static let quote = UInt8(ascii: "\"")
  static let apostrophe = UInt8(ascii: "'")
  static let slash = UInt8(ascii: "/")
  static let comma = UInt8(ascii: ",")
  static let equals = UInt8(ascii: "=")
  static let newline = UInt8(ascii: "\n")
  static let openParenthesis = UInt8(ascii: "(")
  static let closeParenthesis = UInt8(ascii: ")")

  /// As HTML and CSS have it: all but the vertical tab.
  var isWhitespace: Bool { self == 32 || (9...13).contains(self) && self != 11 }
  var isLetter: Bool { (65...90).contains(self & ~32) }
}
