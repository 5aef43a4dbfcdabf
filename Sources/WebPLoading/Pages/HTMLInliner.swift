import Foundation
import PureWebP

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension WebP {
  /// Rewrites pages for browsers without WebP support: each WebP image becomes a data URL of a PNG.
  ///
  /// ```swift
  /// let result = await WebP.HTMLInliner().inline(page, at: pageURL)
  /// try result.html.write(to: output)
  /// ```
  ///
  /// An image is a WebP if its URL's path ends in `.webp`, or if it is a data URL of that type. The inliner finds
  /// images in `img` (`src`, `srcset`), `picture` (`source`), `input`, `video` (`poster`), `object`, `embed`, SVG's
  /// `image`, icons, `style` elements and attributes, and linked style sheets. Style sheets that these import, and the
  /// pages in `srcdoc` attributes, are rewritten too.
  ///
  /// A linked style sheet with such images becomes a `style` element, which replaces the `link` element and keeps its
  /// attributes. An imported sheet becomes a data URL. Characters beyond ASCII are written as escapes, because the page
  /// may have another encoding. A `<` that might begin a tag is escaped too. A link is not replaced if it is disabled or
  /// has a checksum (`integrity`), or if the sheet is not in UTF-8.
  ///
  /// References relative to an address of more than 4096 bytes are not replaced. The `srcset` of a `source` whose
  /// `type` is `image/webp` is replaced completely or not at all. Images that scripts add are not in the page's bytes;
  /// ``PageScript`` replaces them.
  ///
  /// All other bytes of the page are unchanged.
  ///
  /// The page's Content-Security-Policy must allow `data:` among the sources of `img-src`. If linked style sheets
  /// contain WebPs, `style-src` must allow `'unsafe-inline'`, because they become `style` elements, and `data:` for
  /// imported sheets.
  ///
  /// > Warning: Without a custom `load`, the inliner loads any address that this machine can reach, including
  /// > `localhost` and servers on its network. To rewrite untrusted pages, for example on a server, pass a `load` that
  /// > rejects such addresses, also after redirects. On Linux, that `load` must not use FoundationNetworking, because a
  /// > response with an enormous `Content-Length` crashes the process. To use FoundationNetworking anyway, run the
  /// > inliner in a separate process.
  public struct HTMLInliner: Sendable {
    /// Loads a URL. Returns its contents and its final URL after redirects, which references in a style sheet are
    /// relative to.
    public typealias Loader = @Sendable (URL) async throws -> (data: Data, url: URL)

    /// The conversion of the images and its limits. Style sheets of more than `limits.maximumBytes` are refused too.
    ///
    /// The images of a page may together have at most `limits.unrestrictedPixels` pixels, plus
    /// `limits.maximumPixelsPerByte` pixels for each byte of the page and of the files that were loaded for it. Further
    /// images are not replaced.
    public var conversion = ConversionOptions()
    /// The maximum number of bytes of images and style sheets that are inlined into a page. References are processed in
    /// the order of the page. References that exceed the maximum are not replaced.
    ///
    /// This also bounds loading and conversion. Six images or style sheets are loaded at a time, each up to the
    /// remaining number of bytes. One image is converted at a time, until its PNG exceeds that number. The pixels of
    /// that image, which `conversion` limits, take additional memory.
    public var maximumInlinedBytes = 128 << 20
    private let load: Loader?

    /// Creates an inliner.
    ///
    /// - Parameter load: loads the page's references. If nil, files are read, and other URLs are loaded from any
    ///   address up to the limit of `conversion`, without the app's cookies and credentials.
    public init(load: Loader? = nil) {
      self.load = load
    }

    /// A rewritten page.
    public struct Page: Sendable {
      /// The page.
      public let html: Data
      /// The number of copies of each image in the page. An image is embedded again at each position that shows it.
      public let copies: [URL: Int]
      /// The number of bytes of images and style sheets in the page.
      public let inlinedBytes: Int
      /// The images that are part of the page now.
      public var inlined: Set<URL> { Set(copies.keys) }
      /// The images and style sheets that were not replaced, and the reasons. The reason is
      /// `URLError.dataLengthExceedsMaximum` also if only some references to an image were not replaced.
      public let failures: [URL: any Error]
    }

    /// Rewrites a page.
    ///
    /// Files are read only for pages and style sheets that are files themselves. In other pages, a reference to a file
    /// is a failure, so that no page can read files of the machine that rewrites it.
    ///
    /// - Parameters:
    ///   - html: in UTF-8, or in another encoding that is a superset of ASCII.
    ///   - url: the address of the page.
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

    /// Loads a reference of a page, with `load` if there is one.
    func contents(_ url: URL, maximumBytes: Int) async throws -> (data: Data, url: URL) {
      if url.isData { return (try Data(dataURL: url), url) }
      if let load { return try await load(url) }
      return try await Self.contents(of: url, maximumBytes: maximumBytes)
    }

    /// Loads a file or a URL. Returns its contents and its final URL after redirects. The app's cookies and credentials
    /// are not sent, and no cookies are stored.
    ///
    /// - Parameters:
    ///   - url: a file, http or https URL. Any address is allowed.
    ///   - maximumBytes: the maximum number of bytes.
    /// - Throws: `URLError`: `dataLengthExceedsMaximum` for more than `maximumBytes`; `unsupportedURL` for other
    ///   schemes; `fileDoesNotExist` for status 404 and 410, `noPermissionsToReadFile` for 403,
    ///   `userAuthenticationRequired` for 401 and 407, `badServerResponse` for other statuses outside of 2xx. For
    ///   files, the error that Foundation throws.
    public static func contents(
      of url: URL, maximumBytes: Int = Limits().maximumBytes
    ) async throws -> (data: Data, url: URL) {
      if url.isFileURL { return (try Data(file: url, maximumBytes: maximumBytes), url) }
      guard url.isHTTP else { throw URLError.otherThanHTTP }
      return try await BodyLoad.body(of: url, maximumBytes: maximumBytes)
    }
  }
}
