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
    var named = allowed(names.images, by: url)
    await loadAll(allowed(names.styleSheets, by: url)) { asked, loaded in
      // A redirect gets nobody at files.
      let document = loaded.url.isFile ? asked : loaded.url
      let images = allowed(Names(css: [UInt8](loaded.data), base: loaded.url).images, by: document)
      if images.isEmpty { return }
      guard let sheet = PageInliner.StyleSheet(loaded.data, url: loaded.url) else { throw URLError.notInUTF8 }
      try takeRoom(sheet.css.count)
      styleSheets[asked] = sheet
      named.formUnion(images)
    }
    await loadAll(named) { images[$0] = try dataURL($1.data) }
  }

  /// Those that what is at `document` may name.
  private func allowed(_ urls: Set<URL>, by document: URL) -> Set<URL> {
    let refused = document.isFile ? [] : urls.filter(\.isFile)
    for url in refused { failures[url] = URLError.fileOfThisMachine }
    return urls.subtracting(refused)
  }

  private func takeRoom(_ bytes: Int) throws {
    guard bytes <= room else { throw URLError.noRoomInPage }
    room -= bytes
  }

  /// Of the PNG, of which no more is made than there is room for.
  private func dataURL(_ webP: Data) throws -> String {
    let converter = WebP.PNGConverter(options: inliner.conversion)
    var png = Data()
    func add(_ next: Data) throws {
      png += next
      // In Base64, three bytes become four.
      guard png.count <= room / 4 * 3 else { throw URLError.noRoomInPage }
    }
    var rest = webP
    while !rest.isEmpty {
      try add(converter.append(rest.prefix(1 << 14)))
      rest = rest.dropFirst(1 << 14)
    }
    converter.maximumAnimationBytes = room / 4 * 3
    do { try add(converter.finish()) } catch WebP.ConversionError.encoding(.output) { throw URLError.noRoomInPage }
    let url = "data:image/png;base64," + png.base64EncodedString()
    try takeRoom(url.utf8.count)
    return url
  }

  /// Loads a few at once, and calls `use` with one after another: what that takes, such as the pixels of a picture, is
  /// in memory once.
  private func loadAll(
    _ urls: Set<URL>, _ use: (URL, (data: Data, url: URL)) throws -> Void
  ) async {
    await withTaskGroup(of: (URL, Result<(data: Data, url: URL), any Error>).self) { group in
      func useNext() async {
        guard let (url, result) = await group.next() else { return }
        do { try use(url, result.get()) } catch { failures[url] = error }
      }
      for (count, url) in urls.enumerated() {
        if count >= 6 { await useNext() }
        let maximumBytes = min(inliner.conversion.limits.maximumBytes, room)
        group.addTask { [inliner] in
          do {
            return (url, .success(try await inliner.contents(url, maximumBytes: maximumBytes)))
          } catch {
            return (url, .failure(error))
          }
        }
      }
      while !group.isEmpty { await useNext() }
    }
  }
}

/// What a page or style sheet names.
private struct Names {
  var images: Set<URL> = []
  var styleSheets: Set<URL> = []

  init(_ page: [UInt8], base: URL) {
    collect(base) { _ = HTMLRewriter.rewrite(page, $0) }
  }

  init(css: [UInt8], base: URL) {
    collect(base) { _ = CSSRewriter.edits(css, $0) }
  }

  private mutating func collect(_ base: URL, _ read: (PageReplacements) -> Void) {
    var (images, styleSheets): (Set<URL>, Set<URL>) = ([], [])
    read(
      PageReplacements(
        base: base,
        image: { url in
          if url.looksLikeWebP { images.insert(url) }
          return nil
        },
        styleSheet: { url in
          styleSheets.insert(url)
          return nil
        }))
    self.images = images
    self.styleSheets = styleSheets
  }
}
