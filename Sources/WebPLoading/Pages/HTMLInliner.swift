import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Rewrites pages, so that they show their WebP images where WebP is not supported: each becomes a data URL of a PNG.
  ///
  /// ```swift
  /// let result = await WebP.HTMLInliner().inline(page, at: pageURL)
  /// try result.html.write(to: output)
  /// ```
  ///
  /// An image is a WebP if its URL's path ends in `.webp`, or it is a data URL of that type. It is looked for in `img`
  /// (`src`, `srcset`), `picture` (`source`), `input`, `video` (`poster`), `object`, `embed`, SVG's `image`, icons,
  /// `style` elements and attributes, and linked style sheets. A style sheet with such images takes the place of its
  /// link; `@import` is not followed. Images that scripts add are none of the page's bytes: for them there is
  /// ``PageScript``.
  ///
  /// Everything else in the page stays, byte by byte.
  ///
  /// > Warning: Without a `load` of yours, whatever a page names is loaded from wherever the rewriting machine gets to,
  /// > `localhost` and its network's other servers among them. Where strangers' pages are rewritten, as on a server, give
  /// > a `load` that refuses such addresses, also after redirects.
  public struct HTMLInliner: Sendable {
    /// Loads what a URL names, and tells where it was in the end, after redirects: what a style sheet names is relative
    /// to that.
    public typealias Loader = @Sendable (URL) async throws -> (data: Data, url: URL)

    /// How the images are converted, and what is refused: also style sheets of more bytes than its limits allow.
    public var conversion = ConversionOptions()
    /// How many bytes of images and style sheets are put into a page at most. What would be more stays a reference, as
    /// often as a page may name it.
    public var maximumInlinedBytes = 128 << 20
    private let load: Loader?

    /// - Parameter load: nil: files are read, and the rest is loaded, from any address, up to the limit of `conversion`,
    ///   and without the app's cookies and credentials: whoever wants them to go out gives a `load` that has them.
    public init(load: Loader? = nil) {
      self.load = load
    }

    /// What a page has become.
    public struct Result: Sendable {
      /// The page.
      public let html: Data
      /// The images that are part of the page now.
      public let inlined: Set<URL>
      /// The images and style sheets that were left as they are, and why; `URLError.dataLengthExceedsMaximum` also
      /// where only some of an image's places are left.
      public let failures: [URL: any Error]
    }

    /// Rewrites a page.
    ///
    /// Files are read for pages and style sheets that are files themselves. Where others name them, that is a failure:
    /// nobody's page gets at the files of the machine that rewrites it.
    ///
    /// - Parameters:
    ///   - html: in UTF-8, or another encoding that has ASCII in its place.
    ///   - url: where the page is.
    public func inline(_ html: Data, at url: URL) async -> Result {
      let page = [UInt8](html)
      let names = Names(page, base: url)
      var failures: [URL: any Error] = [:]
      /// Those that what is at `document` may name.
      func allowed(_ urls: Set<URL>, by document: URL) -> Set<URL> {
        let refused = document.isFile ? [] : urls.filter(\.isFile)
        for url in refused { failures[url] = URLError(.noPermissionsToReadFile) }
        return urls.subtracting(refused)
      }

      /// What is kept in memory goes into the page at least once.
      var kept = 0
      func keeps(_ bytes: Int, of url: URL) -> Bool {
        guard bytes <= maximumInlinedBytes - kept else {
          failures[url] = URLError(.dataLengthExceedsMaximum)
          return false
        }
        kept += bytes
        return true
      }

      var sheets: [URL: PageInliner.StyleSheet] = [:]
      var images = allowed(names.images, by: url)
      await loadAll(allowed(names.styleSheets, by: url), contents) { asked, result in
        switch result {
        case .success(let loaded):
          let sheet = PageInliner.StyleSheet(css: [UInt8](loaded.data), url: loaded.url)
          // A redirect gets nobody at files.
          let document = sheet.url.isFile ? asked : sheet.url
          let named = allowed(Names(css: sheet.css, base: sheet.url).images, by: document)
          if !named.isEmpty, keeps(sheet.css.count, of: asked) {
            sheets[asked] = sheet
            images.formUnion(named)
          }
        case .failure(let error): failures[asked] = error
        }
      }

      var pngs: [URL: String] = [:]
      await loadAll(images, dataURL) { image, result in
        switch result {
        case .success(let png): if keeps(png.utf8.count, of: image) { pngs[image] = png }
        case .failure(let error): failures[image] = error
        }
      }

      let inliner = PageInliner(images: pngs, styleSheets: sheets, room: maximumInlinedBytes)
      let replaced = inliner.rewrite(page, base: url)
      for url in inliner.refused { failures[url] = URLError(.dataLengthExceedsMaximum) }
      return Result(html: Data(replaced), inlined: inliner.inlined, failures: failures)
    }

    @Sendable private func dataURL(_ url: URL) async throws -> String {
      let webP = url.scheme?.lowercased() == "data" ? try Data(dataURL: url) : try await contents(of: url).data
      let converter = PNGConverter(options: conversion)
      let png = try converter.append(webP) + converter.finish()
      return "data:image/png;base64," + png.base64EncodedString()
    }

    @Sendable private func contents(of url: URL) async throws -> (data: Data, url: URL) {
      if let load { return try await load(url) }
      return try await Self.contents(of: url, maximumBytes: conversion.limits.maximumBytes)
    }

    /// What a file or a URL holds, and where that was in the end, after redirects. The app's cookies and credentials stay
    /// at home, and no cookies are kept.
    ///
    /// - Parameters:
    ///   - url: a file, or an address by http or https, whatever it is.
    ///   - maximumBytes: how many there may be.
    /// - Throws: `URLError`: `dataLengthExceedsMaximum` where there are more than `maximumBytes`; for a status that is not
    ///   2xx `fileDoesNotExist` (404, 410), `noPermissionsToReadFile` (403), `userAuthenticationRequired` (401, 407) or
    ///   `badServerResponse`. For files, what Foundation throws.
    public static func contents(
      of url: URL, maximumBytes: Int = Limits().maximumBytes
    ) async throws -> (data: Data, url: URL) {
      guard url.isFile else { return try await BodyLoad.body(of: url, maximumBytes: maximumBytes) }
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= maximumBytes else { throw URLError(.dataLengthExceedsMaximum) }
      return (try Data(contentsOf: url), url)
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

/// Calls `load` for all URLs, a few at once, and `body` with what came of each.
private func loadAll<Value: Sendable>(
  _ urls: Set<URL>, _ load: @escaping @Sendable (URL) async throws -> Value,
  _ body: (URL, Result<Value, any Error>) -> Void
) async {
  await withTaskGroup(of: (URL, Result<Value, any Error>).self) { group in
    var running = 0
    for url in urls {
      if running == 6, let (url, result) = await group.next() {
        body(url, result)
        running -= 1
      }
      group.addTask {
        do { return (url, .success(try await load(url))) } catch { return (url, .failure(error)) }
      }
      running += 1
    }
    for await (url, result) in group { body(url, result) }
  }
}
