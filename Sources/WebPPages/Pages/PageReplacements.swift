import Foundation

/// The functions that determine the replacements of the references in a page or style sheet.
struct PageReplacements {
  /// The URL that references are relative to, from `URL.asBase`.
  var base: URL
  /// Counts the text that is read and the URLs that are resolved.
  var work = PageWork()
  /// Returns the replacement of an image's URL, or nil to keep the URL.
  var image: (URL) -> String?
  /// The same as `image`, for an attribute from which a script of the page takes the URL of an image later.
  var lazyImage: (URL) -> String? = { _ in nil }
  /// Calls its argument, which calls `image` for several images. If the argument returns false, the images are not used
  /// and not counted.
  var counting: (() -> Bool) -> Void = { _ = $0() }
  /// Returns the text of a linked style sheet to replace its link, or nil to keep the link. The text must not contain
  /// markup.
  var styleSheet: (URL) -> String?
  /// Returns the replacement of an imported style sheet's URL, or nil to keep the URL.
  var importedSheet: (URL) -> String? = { _ in nil }
  /// Returns the replacement of any other URL in a style sheet, or nil to keep the URL.
  var other: (URL) -> String? = { _ in nil }

  /// The replacements in attributes from which a script takes the URL of an image later.
  var inLazyAttributes: Self {
    var replacements = self
    replacements.image = lazyImage
    return replacements
  }

  /// Resolves a reference. Returns nil if it is invalid, refers to the document itself, or exceeds the work.
  func url(_ text: String) -> URL? {
    guard work.takeReference(text.utf8.count + base.absoluteString.utf8.count) else { return nil }
    return URL(inPage: text, base: base)
  }

  func image(_ text: String) -> String? { url(text).flatMap(image) }

  /// Returns the replacements of several images, or nil if at least one of them has none.
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
  /// Indicates whether the URL is short enough to be a base.
  ///
  /// The bound limits memory: each resolved URL is at least as long as its base, and a page may have a relative URL in
  /// every ten bytes. Servers and file systems usually do not support longer URLs.
  var isShortBase: Bool { absoluteString.utf8.count <= 4096 }

  /// The URL to use as a base. A data URL cannot be a base (URL Standard, section 4.4). Data URLs and URLs that are too
  /// long are replaced by the address of an empty resource, so that relative references do not resolve to existing
  /// resources.
  var asBase: URL { isShortBase && !isData ? self : URL(string: "data:nothing/") ?? self }

  /// Resolves the reference `text` in a document with the given base. Returns nil if the reference is invalid, or if it
  /// refers to the document itself.
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
