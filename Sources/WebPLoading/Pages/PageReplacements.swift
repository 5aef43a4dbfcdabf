import Foundation

/// What takes the place of what a page names.
struct PageReplacements {
  /// Where the page or style sheet is, which relative URLs start from. Where they cannot, they mean nothing that there is.
  var base: URL { didSet { base = base.asBase } }
  /// What is to be written instead of the URL of an image; nil: it stays.
  let image: (URL) -> String?
  /// Calls its argument, which asks for images. If that tells that they are not used after all, they do not count.
  let counting: (() -> Bool) -> Void
  /// The text of a linked style sheet that is to take the place of its link, and is no markup wherever that is; nil: the
  /// link stays.
  let styleSheet: (URL) -> String?
  /// What is to be written instead of the URL of anything else that a style sheet names; nil: it stays.
  let other: (URL) -> String?

  init(
    base: URL, image: @escaping (URL) -> String?, styleSheet: @escaping (URL) -> String?,
    other: @escaping (URL) -> String? = { _ in nil },
    counting: @escaping (() -> Bool) -> Void = { _ = $0() }
  ) {
    self.base = base.asBase
    self.image = image
    self.styleSheet = styleSheet
    self.other = other
    self.counting = counting
  }

  func image(_ text: String) -> String? { URL(inPage: text, base: base).flatMap(image) }

  /// Nil unless all of them are replaced.
  func allImages(_ texts: [String]) -> [String?]? {
    var images: [String?] = []
    counting {
      images = texts.map(image)
      return !images.contains(nil)
    }
    return images.contains(nil) ? nil : images
  }
}

extension URL {
  /// Whether relative URLs may start from it: each becomes as long, and a page may have one in each ten bytes of its own.
  /// Longer ones neither servers nor file systems usually have.
  var isShortBase: Bool { absoluteString.utf8.count <= 4096 }

  /// What stands for it as a base: for a data URL, which is none (URL Standard, section 4.4), and for one that is too
  /// long, an address where nothing is.
  fileprivate var asBase: URL { isShortBase && !isData ? self : URL(string: "data:nothing/") ?? self }

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
