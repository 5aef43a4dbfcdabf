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
  /// link, with the link's attributes, unless the link is disabled or has a checksum (`integrity`), or the sheet is not in
  /// UTF-8; its characters beyond ASCII are written as escapes, since the page may be in another encoding. So is `<` where
  /// it might begin a tag: a sheet is never taken for markup. Style sheets that these import, and the pages in `srcdoc`
  /// attributes, are rewritten as well; an imported sheet becomes a data URL. What is relative to an address of more than
  /// 4096 bytes stays, and so does the `srcset` of a `source` whose `type` is `image/webp` unless all of it can
  /// be replaced. Images that scripts add are none of the page's bytes: for them there is ``PageScript``.
  ///
  /// Everything else in the page stays, byte by byte.
  ///
  /// The page's Content-Security-Policy must allow `data:` among the sources of `img-src`. Where linked style sheets
  /// have WebPs, `style-src` must allow `'unsafe-inline'`, because these become `style` elements, and `data:` for
  /// imported ones.
  ///
  /// > Warning: Without a `load` of yours, whatever a page names is loaded from wherever the rewriting machine gets to,
  /// > `localhost` and its network's other servers among them. Where strangers' pages are rewritten, as on a server, give
  /// > a `load` that refuses such addresses, also after redirects. On Linux it has to do without FoundationNetworking,
  /// > where one header of a server's, an enormous `Content-Length`, ends the process; or let it be one that may die.
  public struct HTMLInliner: Sendable {
    /// Loads what a URL names, and tells where it was in the end, after redirects: what a style sheet names is relative
    /// to that.
    public typealias Loader = @Sendable (URL) async throws -> (data: Data, url: URL)

    /// The conversion of the images and its limits. Style sheets of more than `limits.maximumBytes` are refused too.
    ///
    /// All images of a page together may have `limits.unrestrictedPixels`, and `limits.maximumPixelsPerByte` more for each byte of the page
    /// and of the files that were loaded for it. Further images stay references.
    public var conversion = ConversionOptions()
    /// The maximum number of bytes of images and style sheets that are inlined into a page. Further references stay. The
    /// references are served in the order in which the page names them.
    ///
    /// This also bounds loading and conversion: six images or style sheets are loaded at a time, each up to the remaining
    /// room, and one image is converted at a time, until its PNG exceeds the room. The pixels of that image, which
    /// `conversion` limits, take additional memory.
    public var maximumInlinedBytes = 128 << 20
    private let load: Loader?

    /// - Parameter load: nil: files are read, and the rest is loaded, from any address, up to the limit of `conversion`,
    ///   and without the app's cookies and credentials: whoever wants them to go out gives a `load` that has them.
    public init(load: Loader? = nil) {
      self.load = load
    }

    /// A rewritten page.
    public struct Page: Sendable {
      /// The page.
      public let html: Data
      /// The number of copies of each image in the page. An image is embedded again at each place that shows it.
      public let copies: [URL: Int]
      /// The number of bytes of images and style sheets in the page.
      public let inlinedBytes: Int
      /// The images that are part of the page now.
      public var inlined: Set<URL> { Set(copies.keys) }
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
    public func inline(_ html: Data, at url: URL) async -> Page {
      let page = [UInt8](html)
      let resources = PageResources(self, pageBytes: page.count)
      await resources.load(for: page, at: url)
      let inliner = PageInliner(
        images: resources.images, styleSheets: resources.styleSheets, room: maximumInlinedBytes)
      let replaced = inliner.rewrite(page, base: url)
      let failures = inliner.refused.reduce(into: resources.failures) { $0[$1] = URLError.noRoomInPage }
      return Page(html: Data(replaced), copies: inliner.copies, inlinedBytes: inliner.inlinedBytes, failures: failures)
    }

    /// What a page names, by `load` if there is one.
    func contents(_ url: URL, maximumBytes: Int) async throws -> (data: Data, url: URL) {
      if url.isData { return (try Data(dataURL: url), url) }
      if let load { return try await load(url) }
      return try await Self.contents(of: url, maximumBytes: maximumBytes)
    }

    /// What a file or a URL holds, and where that was in the end, after redirects. The app's cookies and credentials stay
    /// at home, and no cookies are kept.
    ///
    /// - Parameters:
    ///   - url: a file, or an address by http or https, whatever it is.
    ///   - maximumBytes: how many there may be.
    /// - Throws: `URLError`: `dataLengthExceedsMaximum` where there are more than `maximumBytes`; `unsupportedURL` for
    ///   other addresses; for a status that is not 2xx `fileDoesNotExist` (404, 410), `noPermissionsToReadFile` (403),
    ///   `userAuthenticationRequired` (401, 407) or `badServerResponse`. For files, what Foundation throws.
    public static func contents(
      of url: URL, maximumBytes: Int = Limits().maximumBytes
    ) async throws -> (data: Data, url: URL) {
      if url.isFileURL { return (try Data(file: url, maximumBytes: maximumBytes), url) }
      guard url.isHTTP else { throw URLError.otherThanHTTP }
      return try await BodyLoad.body(of: url, maximumBytes: maximumBytes)
    }
  }
}
