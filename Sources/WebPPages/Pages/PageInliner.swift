import Foundation

/// Replaces the references in a page by the loaded images and style sheets. The sum of all replacements is limited,
/// because a page may refer to an image or a style sheet any number of times.
final class PageInliner {
  struct StyleSheet {
    /// The text of the sheet in ASCII, which has the same meaning in pages of all supported encodings. It contains
    /// neither markup nor a byte order mark. Within a page, the mark would become part of the first selector.
    let css: [UInt8]
    /// The URL of the sheet after redirects. References in the sheet are relative to it.
    let url: URL

    /// Creates a sheet from its bytes, which must be UTF-8. The encoding that the sheet or its server declares is
    /// ignored.
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
  private let replacesLazyAttributes: Bool
  private let work: PageWork
  private var written = Written()
  /// The URLs with at least one reference that was not replaced because it exceeded the maximum.
  private(set) var refused: Set<URL> = []

  /// The style sheets that are being rewritten. Each one imports the next one. A sheet cannot import a sheet of this
  /// list again, because this would never end.
  private var open: [URL] = []

  /// The state of the page so far. It can be restored if a replacement turns out not to fit.
  private struct Written {
    /// The number of bytes that replaced references.
    var bytes = 0
    var copies: [URL: Int] = [:]
  }

  /// - Parameters:
  ///   - images: the images as data URLs.
  ///   - room: the maximum number of bytes that may replace references.
  ///   - work: counts what is read and written, also if it turns out not to fit.
  init(
    images: [URL: String], styleSheets: [URL: StyleSheet], room: Int, replacesLazyAttributes: Bool = false,
    work: PageWork = PageWork()
  ) {
    self.images = images
    self.styleSheets = styleSheets
    self.replacesLazyAttributes = replacesLazyAttributes
    self.work = work
    maximumBytes = room
  }

  /// The number of copies of each image in the page.
  var copies: [URL: Int] { written.copies }

  /// The number of bytes that replaced references.
  var inlinedBytes: Int { written.bytes }

  func rewrite(_ page: [UInt8], base: URL) -> [UInt8] {
    let replacements = PageReplacements(
      base: base.asBase, work: work, image: image, lazyImage: { [self] in replacesLazyAttributes ? image($0) : nil },
      counting: counting, styleSheet: text, importedSheet: dataURL)
    return HTMLRewriter.rewrite(page, replacements)
  }

  private func takeRoom(_ bytes: Int) -> Bool {
    guard bytes <= maximumBytes - written.bytes, (try? work.take(bytes)) != nil else { return false }
    written.bytes += bytes
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

  /// Calls `isUsed`, which requests replacements. If it returns false, they are not counted.
  private func counting(_ isUsed: () -> Bool) {
    let before = written
    if !isUsed() { written = before }
  }

  /// Returns the text of a style sheet with its images inlined. Its other references become absolute, because the text
  /// moves to another document. Returns nil if the complete text does not fit.
  private func text(_ url: URL) -> String? {
    guard let sheet = styleSheets[url], !refused.contains(url), !open.contains(url) else { return nil }
    open.append(url)
    defer { open.removeLast() }
    let before = written
    var fits = takeRoom(sheet.css.count)
    let replacements = PageReplacements(
      base: sheet.url.asBase, work: work,
      image: { fits ? self.image($0) : nil },
      styleSheet: { _ in nil },
      importedSheet: { fits ? self.dataURL($0) : nil },
      other: { url in
        fits = fits && self.takeRoom(url.absoluteString.utf8.count)
        return fits ? url.absoluteString : nil
      })
    let css = CSSRewriter.edits(sheet.css, replacements).applied(to: sheet.css)
    // If the work ended before the end of the sheet, its last references are not absolute.
    guard fits, work.failure == nil else {
      written = before
      refused.insert(url)
      return nil
    }
    return String(decoding: css, as: UTF8.self)
  }

  /// Returns an imported style sheet as a data URL, or nil if it does not fit. As a data URL, it can stay in its
  /// `@import`, which may have conditions.
  private func dataURL(_ url: URL) -> String? {
    let before = written
    guard let css = text(url) else { return nil }
    let dataURL = "data:text/css;base64,\(Data(css.utf8).base64EncodedString())"
    // `text` has counted the style sheet without Base64.
    guard takeRoom(dataURL.utf8.count - (written.bytes - before.bytes)) else {
      written = before
      refused.insert(url)
      return nil
    }
    return dataURL
  }
}
