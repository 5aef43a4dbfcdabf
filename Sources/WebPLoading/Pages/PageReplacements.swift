import Foundation

/// The replacements of the references in a page.
struct PageReplacements {
  /// The URL of the page or style sheet, to which others are relative. If it cannot be a base, they lead nowhere.
  var base: URL { didSet { base = base.asBase } }
  /// Returns the URL that replaces an image's; nil: it stays.
  let image: (URL) -> String?
  /// Calls its argument, which requests images. If that returns false, they are not used, and do not count.
  let counting: (() -> Bool) -> Void
  /// The text of a linked style sheet that is to take the place of its link, and is no markup wherever that is; nil: the
  /// link stays.
  let styleSheet: (URL) -> String?
  /// Returns the URL that replaces an imported style sheet's; nil: it stays.
  let importedSheet: (URL) -> String?
  /// Returns the URL that replaces any other one in a style sheet; nil: it stays.
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
