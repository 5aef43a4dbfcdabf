import Foundation
import PureWebP
import WebPExport

/// Loads the images and style sheets that a page refers to, within the limits of an `HTMLInliner`.
final class PageResources {
  /// The style sheets with WebP images, or with imports that have some.
  private(set) var styleSheets: [URL: PageInliner.StyleSheet] = [:]
  /// The images as data URLs of PNGs.
  private(set) var images: [URL: String] = [:]
  private(set) var failures: [URL: any Error] = [:]
  private var sheetsWithImages: Set<URL> = []

  private let inliner: WebP.HTMLInliner
  /// The number of bytes that may still be inlined, if each loaded resource is inlined once.
  private var room: Int
  private var pixelBudget: PixelBudget

  init(_ inliner: WebP.HTMLInliner, pageBytes: Int) {
    self.inliner = inliner
    room = inliner.maximumInlinedBytes
    pixelBudget = PixelBudget(inliner.conversion.limits, pageBytes: pageBytes)
  }

  func load(for page: [UInt8], at url: URL) async {
    let names = Names(base: url) { _ = HTMLRewriter.edits(page, $0) }
    var images = NamedURLs()
    images.add(allowed(names.images, by: url))
    if inliner.replacesLazyAttributes {
      images.add(allowed(names.lazyImages, by: url))
    } else {
      for url in names.lazyImages.inOrder { failures[url] = URLError.inLazyAttribute }
    }
    await loadStyleSheets(allowed(names.styleSheets, by: url), addingImagesTo: &images)
    await loadAll(images.inOrder) { url, loaded in
      if !url.isData { pixelBudget.addBytes(loaded.data.count) }
      try pixelBudget.charge(loaded.data)
      self.images[url] = try dataURL(loaded.data)
    }
  }

  /// Loads style sheets and the sheets that they import. Stores the sheets with images in `styleSheets`.
  private func loadStyleSheets(_ urls: [URL], addingImagesTo images: inout NamedURLs) async {
    var known = NamedURLs()
    known.add(urls)
    var imports: [URL: [URL]] = [:]
    var pending = urls
    // The depth of imports is limited, because a server could return an endless chain of them.
    for _ in 0..<8 where !pending.isEmpty {
      var next: [URL] = []
      await loadAll(pending) { asked, loaded in
        // The inliner does not limit the length of data URLs and of what its `load` returns.
        let maximumBytes = inliner.conversion.limits.maximumBytes
        if loaded.data.count > maximumBytes { throw URLError.longerThan(maximumBytes) }
        // If a redirect leads to a file, the sheet does not get the right to refer to files.
        let document = loaded.url.isFileURL ? asked : loaded.url
        let names = Names(base: loaded.url) { _ = CSSRewriter.edits([UInt8](loaded.data), $0) }
        let named = allowed(names.images, by: document)
        imports[asked] = allowed(names.styleSheets, by: document)
        if named.isEmpty && imports[asked] == [] { return }
        guard loaded.url.isData || loaded.url.isShortBase else { throw URLError.baseTooLong }
        let sheet = try PageInliner.StyleSheet(loaded.data, url: loaded.url)
        try takeRoom(sheet.css.count)
        if !asked.isData { pixelBudget.addBytes(loaded.data.count) }
        styleSheets[asked] = sheet
        images.add(named)
        if !named.isEmpty { sheetsWithImages.insert(asked) }
        next += imports[asked] ?? []
      }
      pending = known.add(next)
    }
    // Adds the sheets that import sheets with images, until there are no more. The links to all other sheets are kept.
    var count: Int
    repeat {
      count = sheetsWithImages.count
      for (url, imported) in imports where !sheetsWithImages.isDisjoint(with: imported) { sheetsWithImages.insert(url) }
    } while sheetsWithImages.count > count
    styleSheets = styleSheets.filter { sheetsWithImages.contains($0.key) }
  }

  /// Returns the URLs that `document` may refer to. Records a failure for each of the other URLs.
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

  /// Converts a WebP to a data URL of a PNG. The conversion stops as soon as the PNG exceeds `room`.
  private func dataURL(_ webP: Data) throws -> String {
    let conversion = PagePNG(options: inliner.conversion)
    conversion.converter.check = { [room] bytesSoFar in
      try Task.checkCancellation()
      // In Base64, three bytes become four.
      guard bytesSoFar <= room / 4 * 3 else { throw URLError.noRoomInPage }
    }
    try conversion.append(webP)
    let url = try conversion.finish().pngDataURL
    try takeRoom(url.utf8.count)
    return url
  }

  /// Loads up to six URLs at a time. Calls `use` for one response after another, in the order of the URLs. Therefore
  /// the result does not depend on the order of arrival, and only one image is decoded at a time.
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
        let url = urls[number]
        group.addTask { [inliner] in
          let result: Result<Loaded, any Error>
          do {
            result = .success(try await inliner.contents(url, maximumBytes: maximumBytes))
          } catch {
            result = .failure(error)
          }
          // Swift 6.3.1 loses the value of `number` in optimized code if the tuple contains the `await`.
          return (number, result)
        }
      }
    }
  }

  private typealias Loaded = (data: Data, url: URL)
}

/// A set of URLs in the order in which they were added.
private struct NamedURLs {
  private(set) var inOrder: [URL] = []
  private var known: Set<URL> = []

  /// Adds URLs, and returns the new ones.
  @discardableResult
  mutating func add(_ urls: [URL]) -> [URL] {
    let new = urls.filter { known.insert($0).inserted }
    inOrder += new
    return new
  }
}

/// The URLs that a page or style sheet refers to.
private final class Names {
  private(set) var images = NamedURLs()
  /// The images in attributes from which a script takes them later.
  private(set) var lazyImages = NamedURLs()
  private(set) var styleSheets = NamedURLs()

  /// - Parameter read: reads the page or style sheet.
  init(base: URL, _ read: (PageReplacements) -> Void) {
    func addSheet(_ url: URL) -> String? {
      styleSheets.add([url])
      return nil
    }
    read(
      PageReplacements(
        base: base.asBase,
        image: { url in
          if url.looksLikeWebP { self.images.add([url]) }
          return nil
        },
        lazyImage: { url in
          if url.looksLikeWebP { self.lazyImages.add([url]) }
          return nil
        },
        styleSheet: addSheet, importedSheet: addSheet))
  }
}

/// Bounds the pixels that are written for all images of a page by the bytes of the page and its resources, as
/// `WebP.Limits` bounds the pixels of one image by its bytes.
private struct PixelBudget {
  /// Limits without a maximum for one image.
  private var limits: WebP.Limits
  private var bytes: Int
  private var pixels = 0

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - limits: the limits whose `unrestrictedPixels` and `maximumPixelsPerByte` apply to the page.
  ///   - pageBytes: the length of the page, including its data URLs.
  init(_ limits: WebP.Limits, pageBytes: Int) {
    self.limits = limits
    self.limits.maximumPixels = .max
    bytes = pageBytes
  }

  /// Adds the bytes of a resource that was loaded for the page.
  mutating func addBytes(_ count: Int) { bytes += count }

  /// Subtracts the pixels that a conversion writes: an image, or the canvas once for each frame of an animation.
  /// A frame may be smaller than the canvas, but each one is composed on a canvas. An image with invalid headers has no
  /// cost, because its conversion fails.
  ///
  /// - Throws: `URLError.dataLengthExceedsMaximum` if the image exceeds the budget, which then stays unchanged.
  mutating func charge(_ webP: Data) throws {
    guard let info = try? WebP.info(webP) else { return }
    let frames = info.isAnimated ? (try? WebP.Animation(webP).frameCount) ?? 0 : 1
    let (canvas, overflow) = info.width.multipliedReportingOverflow(by: info.height)
    let (cost, overflowToo) = canvas.multipliedReportingOverflow(by: frames)
    guard !overflow, !overflowToo, cost <= limits.pixels(ofBytes: bytes) - pixels
    else { throw URLError.tooManyPixelsInPage }
    pixels += cost
  }
}
