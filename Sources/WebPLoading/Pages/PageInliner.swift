import Foundation

/// Replaces the references in a page by the loaded contents, up to a maximum number of bytes. A page may name an image
/// or a style sheet any number of times.
final class PageInliner {
  struct StyleSheet {
    /// The text in ASCII, which has the same meaning in a page of any encoding, and without markup. Without a byte
    /// order mark, which would become part of the first selector within a page.
    let css: [UInt8]
    /// The final URL of the sheet, which its references are relative to.
    let url: URL

    /// Fails if the sheet is not in UTF-8, regardless of the encoding that it or its server declares.
    init(_ bytes: Data, url: URL) throws {
      let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
      guard let text = String(bytes: bytes, encoding: .utf8) else { throw URLError.notInUTF8 }
      guard let css = text.asciiCSS.cssWithoutMarkup else { throw URLError.likeMarkup }
      self.css = css
      self.url = url
    }
  }

  private let maximumBytes: Int
  private let images: [URL: String]
  private let styleSheets: [URL: StyleSheet]
  private var written: Written
  /// The URLs of which at least one reference was not replaced for lack of room.
  private(set) var refused: Set<URL> = []

  /// The style sheets that are being written. Each imports the next one.
  private var open: [URL] = []

  private struct Written {
    var room: Int
    var copies: [URL: Int] = [:]
  }

  /// - Parameters:
  ///   - images: the images as data URLs.
  ///   - room: the maximum number of bytes that may replace references.
  init(images: [URL: String], styleSheets: [URL: StyleSheet], room: Int) {
    self.images = images
    self.styleSheets = styleSheets
    maximumBytes = room
    written = Written(room: room)
  }

  /// The images in the page, and their numbers of copies.
  var copies: [URL: Int] { written.copies }

  /// The number of bytes that replaced references.
  var inlinedBytes: Int { maximumBytes - written.room }

  func rewrite(_ page: [UInt8], base: URL) -> [UInt8] {
    let replacements = PageReplacements(
      base: base, image: image, styleSheet: text, importedSheet: dataURL, counting: counting)
    return HTMLRewriter.rewrite(page, replacements)
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
    written.copies[url, default: 0] += 1
    return image
  }

  private func counting(_ isUsed: () -> Bool) {
    let before = written
    if !isUsed() { written = before }
  }

  /// Returns the text of a style sheet for the page that contains it. All its references become absolute, because they
  /// are relative to the sheet. If there is not enough room for the complete sheet, its link is not replaced.
  private func text(_ url: URL) -> String? {
    guard let sheet = styleSheets[url], !refused.contains(url), !open.contains(url) else { return nil }
    open.append(url)
    defer { open.removeLast() }
    let before = written
    var fits = takeRoom(sheet.css.count)
    let replacements = PageReplacements(
      base: sheet.url,
      image: { fits ? self.image($0) : nil },
      styleSheet: { _ in nil },
      importedSheet: { fits ? self.dataURL($0) : nil },
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

  /// Returns an imported style sheet as a data URL, which has the conditions of its `@import`.
  private func dataURL(_ url: URL) -> String? {
    let before = written
    guard let css = text(url) else { return nil }
    let dataURL = "data:text/css;base64,\(Data(css.utf8).base64EncodedString())"
    // The style sheet has been counted.
    guard takeRoom(dataURL.utf8.count - (before.room - written.room)) else {
      written = before
      refused.insert(url)
      return nil
    }
    return dataURL
  }
}
