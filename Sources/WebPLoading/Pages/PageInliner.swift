import Foundation

/// Writes a page with what was loaded for it in the place of its references, as long as there is room: a page may name
/// an image, or a style sheet, any number of times.
final class PageInliner {
  struct StyleSheet {
    /// In ASCII, which means the same in pages of any encoding, and without markup. Without a byte order mark, which is
    /// part of the first selector in the midst of a page.
    let css: [UInt8]
    /// Where it was in the end, which its references are relative to.
    let url: URL

    /// Fails if the sheet is not in UTF-8, whatever it or its server says: others have no such bytes, unless all are ASCII.
    init(_ bytes: Data, url: URL) throws {
      let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
      guard let text = String(bytes: bytes, encoding: .utf8) else { throw URLError.notInUTF8 }
      guard let css = text.asciiCSS.cssWithoutMarkup else { throw URLError.likeMarkup }
      self.css = css
      self.url = url
    }
  }

  private let images: [URL: String]
  private let styleSheets: [URL: StyleSheet]
  private var written: Written
  /// What stays, somewhere at least, because there was no room for it.
  private(set) var refused: Set<URL> = []

  private struct Written {
    var room: Int
    var images: Set<URL> = []
  }

  /// - Parameters:
  ///   - images: their data URLs.
  ///   - room: how many bytes may be written in the place of references.
  init(images: [URL: String], styleSheets: [URL: StyleSheet], room: Int) {
    self.images = images
    self.styleSheets = styleSheets
    written = Written(room: room)
  }

  /// The images that are part of the page.
  var inlined: Set<URL> { written.images }

  func rewrite(_ page: [UInt8], base: URL) -> [UInt8] {
    HTMLRewriter.rewrite(page, PageReplacements(base: base, image: image, styleSheet: text, counting: counting))
  }

  private func takeRoom(_ bytes: Int) -> Bool {
    guard bytes <= written.room else { return false }
    written.room -= bytes
    return true
  }

  private func image(_ url: URL) -> String? {
    guard let image = images[url] else { return nil }
    guard takeRoom(image.utf8.count) else {
      refused.insert(url)
      return nil
    }
    written.images.insert(url)
    return image
  }

  private func counting(_ isUsed: () -> Bool) {
    let before = written
    if !isUsed() { written = before }
  }

  /// A style sheet, for the page that it becomes part of: all it names besides is relative to the sheet, and the page is
  /// elsewhere. Half a sheet is none: if there is no room for all of it, its link stays.
  private func text(_ url: URL) -> String? {
    guard let sheet = styleSheets[url], !refused.contains(url) else { return nil }
    let before = written
    var fits = takeRoom(sheet.css.count)
    let replacements = PageReplacements(
      base: sheet.url,
      image: { fits ? self.image($0) : nil },
      styleSheet: { _ in nil },
      other: { url in
        fits = fits && self.takeRoom(url.absoluteString.utf8.count)
        return fits ? url.absoluteString : nil
      })
    let css = CSSRewriter.edits(sheet.css, replacements).applied(to: sheet.css)
    guard fits else {
      written = before
      refused.insert(url)
      return nil
    }
    return String(decoding: css, as: UTF8.self)
  }
}
