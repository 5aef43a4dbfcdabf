import Foundation

/// The replacements of the references in a page.
struct PageReplacements {
  /// The URL of the page or style sheet, to which references are relative. If it is no valid base, relative references
  /// are not resolved.
  var base: URL { didSet { base = base.asBase } }
  /// Returns the replacement of an image's URL. Nil to keep it.
  let image: (URL) -> String?
  /// Calls its argument, which requests images. If it returns false, the images are not used and not counted.
  let counting: (() -> Bool) -> Void
  /// Returns the text of a linked style sheet that replaces its link. It must not contain markup. Nil to keep the link.
  let styleSheet: (URL) -> String?
  /// Returns the replacement of an imported style sheet's URL. Nil to keep it.
  let importedSheet: (URL) -> String?
  /// Returns the replacement of any other URL in a style sheet. Nil to keep it.
  let other: (URL) -> String?

  init(
    base: URL, image: @escaping (URL) -> String?, styleSheet: @escaping (URL) -> String?,
    importedSheet: @escaping (URL) -> String? = { _ in nil }, other: @escaping (URL) -> String? = { _ in nil },
    counting: @escaping (() -> Bool) -> Void = { _ = $0() }
  ) {
    self.base = base.asBase
    self.image = image
    self.styleSheet = styleSheet
    self.importedSheet = importedSheet
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
  /// The URL is short enough to be a base. Each relative URL becomes as long as its base, and a page may have one in
  /// every ten bytes. Servers and file systems usually do not support longer URLs.
  var isShortBase: Bool { absoluteString.utf8.count <= 4096 }

  /// The URL to use as a base. A data URL is no base (URL Standard, section 4.4). It and a URL that is too long are
  /// replaced by an address without contents.
  fileprivate var asBase: URL { isShortBase && !isData ? self : URL(string: "data:nothing/") ?? self }

  /// Resolves the reference `text` in a document at `base`. Nil if it is invalid.
  init?(inPage text: String, base: URL) {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !trimmed.isEmpty, trimmed.utf8.first != UInt8(ascii: "#") else { return nil }
    // Browsers accept spaces and other characters that should be escaped in a URL.
    let escaped = trimmed.addingPercentEncoding(withAllowedCharacters: .urlFragmentAllowed.union(["%", "#"]))
    guard let url = URL(string: trimmed, relativeTo: base) ?? escaped.flatMap({ URL(string: $0, relativeTo: base) })
    else { return nil }
    self = url.absoluteURL
  }
}
