import Foundation
import PureWebP
import WebPExport
import WebPLoading

/// Loads the images and style sheets that a page refers to, within the limits of an `HTMLInliner`.
///
/// `load` only waits. Everything else runs on `queue`, which owns the variables until `load` returns.
final class PageResources: @unchecked Sendable {
  /// The style sheets with WebP images, or with imports that have some.
  private(set) var styleSheets: [URL: PageInliner.StyleSheet] = [:]
  /// The images as data URLs of PNGs.
  private(set) var images: [URL: String] = [:]
  private(set) var failures: [URL: any Error] = [:]
  private var sheetsWithImages: Set<URL> = []
  /// The sheets that each sheet imports.
  private var imports: [URL: [URL]] = [:]

  /// The images to load.
  private var named = NamedURLs()
  private let inliner: WebP.HTMLInliner
  private let work: PageWork
  private let queue: DispatchQueue
  /// The number of bytes that may still be inlined, if each loaded resource is inlined once.
  private var room: Int
  private var pixelBudget: PixelBudget

  init(_ inliner: WebP.HTMLInliner, _ work: PageWork, on queue: DispatchQueue, pageBytes: Int) {
    self.inliner = inliner
    self.work = work
    self.queue = queue
    room = inliner.maximumInlinedBytes
    pixelBudget = PixelBudget(inliner.conversion.limits, pageBytes: pageBytes)
  }

  func load(for page: [UInt8], at url: URL) async {
    let sheets = await queue.run { [self] in
      let names = Names(base: url, work) { _ = HTMLRewriter.edits(page, $0) }
      named.add(allowed(names.images, by: url))
      if inliner.replacesLazyAttributes {
        named.add(allowed(names.lazyImages, by: url))
      } else {
        for url in names.lazyImages.inOrder { failures[url] = URLError.inLazyAttribute }
      }
      return allowed(names.styleSheets, by: url)
    }
    await loadStyleSheets(sheets)
    await loadAll(named.inOrder) { [self] url, loaded in
      if !url.isData { pixelBudget.addBytes(loaded.data.count) }
      try pixelBudget.charge(loaded.data)
      images[url] = try dataURL(loaded.data)
    }
  }

  /// Loads style sheets and the sheets that they import. Stores the sheets with images in `styleSheets`.
  private func loadStyleSheets(_ urls: [URL]) async {
    var known = NamedURLs()
    var pending = known.add(urls)
    // The depth of imports is limited, because a server could return an endless chain of them.
    for _ in 0..<8 where !pending.isEmpty {
      await loadAll(pending) { [self] in try add(sheet: $1, as: $0) }
      pending = known.add(pending.flatMap { imports[$0] ?? [] })
    }
    // Adds the sheets that import sheets with images, until there are no more. The links to all other sheets are kept.
    var count: Int
    repeat {
      count = sheetsWithImages.count
      for (url, imported) in imports where !sheetsWithImages.isDisjoint(with: imported) { sheetsWithImages.insert(url) }
    } while sheetsWithImages.count > count
    styleSheets = styleSheets.filter { sheetsWithImages.contains($0.key) }
  }

  /// Stores a style sheet, its imports and its images if it has any.
  private func add(sheet loaded: Loaded, as asked: URL) throws {
    // The inliner does not limit the length of data URLs and of what its `load` returns.
    let maximumBytes = inliner.conversion.limits.maximumBytes
    if loaded.data.count > maximumBytes { throw URLError.longerThan(maximumBytes) }
    // If a redirect leads to a file, the sheet does not get the right to refer to files.
    let document = loaded.url.isFileURL ? asked : loaded.url
    let names = Names(base: loaded.url, work) { _ = CSSRewriter.edits([UInt8](loaded.data), $0) }
    let (images, sheets) = (allowed(names.images, by: document), allowed(names.styleSheets, by: document))
    if images.isEmpty && sheets.isEmpty { return }
    guard loaded.url.isData || loaded.url.isShortBase else { throw URLError.baseTooLong }
    let sheet = try PageInliner.StyleSheet(loaded.data, url: loaded.url)
    try takeRoom(sheet.css.count)
    if !asked.isData { pixelBudget.addBytes(loaded.data.count) }
    styleSheets[asked] = sheet
    imports[asked] = sheets
    named.add(images)
    if !images.isEmpty { sheetsWithImages.insert(asked) }
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
    conversion.converter.check = { [room, work] bytesSoFar in
      try work.take(0)
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
  private func loadAll(_ urls: [URL], _ use: @escaping @Sendable (URL, Loaded) throws -> Void) async {
    await withTaskGroup(of: (Int, Result<Loaded, any Error>).self) { group in
      var arrived: [Int: Result<Loaded, any Error>] = [:]
      for number in 0..<urls.count + 6 {
        if number >= 6 {
          let next = number - 6
          while arrived[next] == nil, let (number, result) = await group.next() { arrived[number] = result }
          if let result = arrived.removeValue(forKey: next) {
            await queue.run { [self] in
              do { try use(urls[next], result.get()) } catch { failures[urls[next]] = error }
            }
          }
        }
        guard number < urls.count else { continue }
        let maximumBytes = min(inliner.conversion.limits.maximumBytes, room)
        let url = urls[number]
        group.addTask { [inliner, work] in
          let result: Result<Loaded, any Error>
          do {
            result = .success(try await inliner.contents(url, maximumBytes: maximumBytes, work))
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
  init(base: URL, _ work: PageWork, _ read: (PageReplacements) -> Void) {
    func addSheet(_ url: URL) -> String? {
      styleSheets.add([url])
      return nil
    }
    read(
      PageReplacements(
        base: base.asBase, work: work,
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
