import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads what a page names, and no more of it than may be put into the page.
final class PageResources {
  private(set) var styleSheets: [URL: PageInliner.StyleSheet] = [:]
  /// As data URLs of PNGs.
  private(set) var images: [URL: String] = [:]
  private(set) var failures: [URL: any Error] = [:]

  private let inliner: WebP.HTMLInliner
  /// How many more bytes may be kept: all that is goes into the page at least once.
  private var room: Int

  init(_ inliner: WebP.HTMLInliner) {
    self.inliner = inliner
    room = inliner.maximumInlinedBytes
  }

  func load(for page: [UInt8], at url: URL) async {
    let names = Names(page, base: url)
    var images = NamedURLs()
    images.add(allowed(names.images, by: url))
    await loadAll(allowed(names.styleSheets, by: url)) { asked, loaded in
      // It may be from a data URL, or from who loads as much as there is.
      let maximumBytes = inliner.conversion.limits.maximumBytes
      if loaded.data.count > maximumBytes { throw URLError.longerThan(maximumBytes) }
      // A redirect gets nobody at files.
      let document = loaded.url.isFileURL ? asked : loaded.url
      let named = allowed(Names(css: [UInt8](loaded.data), base: loaded.url).images, by: document)
      if named.isEmpty { return }
      guard loaded.url.isData || loaded.url.isShortBase else { throw URLError.baseTooLong }
      let sheet = try PageInliner.StyleSheet(loaded.data, url: loaded.url)
      try takeRoom(sheet.css.count)
      styleSheets[asked] = sheet
      images.add(named)
    }
    await loadAll(images.inOrder) { self.images[$0] = try dataURL($1.data) }
  }

  /// Those that what is at `document` may name.
  private func allowed(_ urls: NamedURLs, by document: URL) -> [URL] {
    urls.inOrder.filter {
      let isAllowed = document.isFileURL || !$0.isFileURL
      if !isAllowed { failures[$0] = URLError.fileOfThisMachine }
      return isAllowed
    }
  }

  private func takeRoom(_ bytes: Int) throws {
    guard bytes <= room else { throw URLError.noRoomInPage }
    room -= bytes
  }

  /// Of the PNG, of which no more is made than there is room for.
  private func dataURL(_ webP: Data) throws -> String {
    let converter = WebP.PNGConverter(options: inliner.conversion)
    converter.check = { [room] bytesSoFar in
      try Task.checkCancellation()
      // In Base64, three bytes become four.
      guard bytesSoFar <= room / 4 * 3 else { throw URLError.noRoomInPage }
    }
    let conversion = PNGDataURL(converter)
    try conversion.append(webP)
    let url = try conversion.finish()
    try takeRoom(url.utf8.count)
    return url
  }

  /// Loads six at once, and calls `use` with one after another, in their order: each has the room that those before it
  /// have left, whichever is there first. And what that takes, such as the pixels of a picture, is in memory once.
  private func loadAll(_ urls: [URL], _ use: (URL, Loaded) throws -> Void) async {
    await withTaskGroup(of: (Int, Result<Loaded, any Error>).self) { group in
      var arrived: [Int: Result<Loaded, any Error>] = [:]
      for number in 0..<urls.count + 6 {
        if number >= 6 {
          let next = number - 6
          while arrived[next] == nil, let (number, result) = await group.next() { arrived[number] = result }
          do {
            if let loaded = try arrived.removeValue(forKey: next)?.get() { try use(urls[next], loaded) }
          } catch {
            failures[urls[next]] = error
          }
        }
        guard number < urls.count else { continue }
        let maximumBytes = min(inliner.conversion.limits.maximumBytes, room)
        group.addTask { [inliner] in
          do {
            return (number, .success(try await inliner.contents(urls[number], maximumBytes: maximumBytes)))
          } catch {
            return (number, .failure(error))
          }
        }
      }
    }
  }

  private typealias Loaded = (data: Data, url: URL)
}

/// URLs in the order in which they are named first.
private struct NamedURLs {
  private(set) var inOrder: [URL] = []
  private var known: Set<URL> = []

  mutating func add(_ urls: [URL]) {
    for url in urls where known.insert(url).inserted { inOrder.append(url) }
  }
}

/// What a page or style sheet names.
private struct Names {
  var images = NamedURLs()
  var styleSheets = NamedURLs()

  init(_ page: [UInt8], base: URL) {
    collect(base) { _ = HTMLRewriter.rewrite(page, $0) }
  }

  init(css: [UInt8], base: URL) {
    collect(base) { _ = CSSRewriter.edits(css, $0) }
  }

  private mutating func collect(_ base: URL, _ read: (PageReplacements) -> Void) {
    var (images, styleSheets) = (NamedURLs(), NamedURLs())
    read(
      PageReplacements(
        base: base,
        image: { url in
          if url.looksLikeWebP { images.add([url]) }
          return nil
        },
        styleSheet: { url in
          styleSheets.add([url])
          return nil
        }))
    self.images = images
    self.styleSheets = styleSheets
  }
}
