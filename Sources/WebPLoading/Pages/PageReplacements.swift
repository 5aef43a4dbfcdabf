import Foundation

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

extension URL {
  /// The URL that `text` means in a document at `base`; nil if it means none.
  init?(inPage text: String, base: URL) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty, trimmed.utf8.first != UInt8(ascii: "#") else { return nil }
    // Browsers take spaces and other characters that a URL should have escaped.
    let escaped = trimmed.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed.union(["%", "#"]))
    guard let url = URL(string: trimmed, relativeTo: base) ?? escaped.flatMap({ URL(string: $0, relativeTo: base) })
    else { return nil }
    self = url.absoluteURL
  }
}
