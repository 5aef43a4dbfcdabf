import Foundation
import PureWebP
import WebPExport
import WebPLoading

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
  /// If a linked style sheet names WebP images, a `style` element with the same attributes replaces the `link` element.
  /// An imported sheet becomes a data URL. In both, the inliner writes characters beyond ASCII as escapes, because the
  /// page may have another encoding. It also escapes each `<` that might begin a tag. A link is not replaced if it is
  /// disabled or has a checksum (`integrity`), or if the sheet is not in UTF-8.
  ///
  /// Relative references are not replaced if their base URL has more than 4096 bytes. The `srcset` of a `source` whose
  /// `type` is `image/webp` is replaced completely or not at all. The inliner does not run scripts, and does not
  /// replace the images that scripts add.
  ///
  /// All bytes outside of the replaced references and their types are unchanged.
  ///
  /// The directive `img-src` of the page's Content-Security-Policy must allow `data:`. If style sheets with WebP images
  /// are linked, `style-src` must allow `'unsafe-inline'`, because they become `style` elements. If such sheets are
  /// imported, `style-src` must allow `data:`.
  ///
  /// > Warning: Without a custom `load`, the inliner loads any address that this machine can reach, including
  /// > `localhost` and servers on its network. To rewrite untrusted pages, for example on a server, pass a `load` that
  /// > rejects such addresses, also after redirects. On Linux, that `load` must not use FoundationNetworking, because
  /// > certain responses end the process. Alternatively, pass a `transport` that checks each request, as
  /// > `RemoteImages.swift` of `Examples/Servers` does.
  public struct HTMLInliner: Sendable {
    /// Loads a URL. Returns its contents and its final URL after redirects. References in a style sheet are relative to
    /// the final URL.
    public typealias Loader = @Sendable (URL) async throws -> (data: Data, url: URL)

    /// The options for the conversion of images. Its `limits.maximumBytes` also applies to style sheets.
    ///
    /// Two of its limits also apply to a page as a whole: all images together may have at most
    /// `limits.unrestrictedPixels` pixels, plus `limits.maximumPixelsPerByte` pixels for each byte of the page and of
    /// the files that were loaded for it. An animation counts as its canvas, once for each frame. Images that exceed
    /// this sum are not replaced.
    public var conversion = ConversionOptions()
    /// The maximum number of bytes of images and style sheets that are inlined into a page. References are processed in
    /// the order of the page. References that exceed the maximum are not replaced.
    ///
    /// The maximum also bounds the memory for loading and conversion. The inliner loads up to six images or style
    /// sheets at a time, and ends a load that exceeds the remaining number of bytes. It converts one image at a time,
    /// and stops if the PNG exceeds that number. The pixels of this image need additional memory, which `conversion`
    /// limits.
    ///
    /// It also bounds the work. The sum of all bytes that are loaded or written, even if they are then not used, and of
    /// four times the bytes of text that are read and of URLs that are resolved, is at most twice the maximum plus 16
    /// for each byte of the page plus 16 MiB. Each resolved URL counts as 128 further bytes. References beyond that are
    /// not replaced, and ``Page/failures`` has an error for the URL of the page.
    public var maximumInlinedBytes = 128 << 20
    /// Indicates whether to replace images in the attributes `data-src`, `data-srcset` and `data-bg`, from which
    /// scripts take them when they become visible. If false, these images are in ``Page/failures``.
    public var replacesLazyAttributes = false
    private let load: Loader?
    private let upstream: Upstream

    /// Creates an inliner.
    ///
    /// - Parameters:
    ///   - load: loads the page's references. If nil, the inliner loads them as ``contents(of:maximumBytes:)`` does, up
    ///     to `conversion.limits.maximumBytes`.
    ///   - transport: sends the requests if `load` is nil. If nil, a `URLSession`.
    public init(load: Loader? = nil, transport: (any Transport)? = nil) {
      self.load = load
      upstream =
        transport.map { Upstream(Self.anonymousConfiguration, transport: $0, keepsURLCache: true) } ?? Self.anonymous
    }

    /// A rewritten page.
    public struct Page: Sendable {
      /// The HTML of the page, in its original encoding.
      public let html: Data
      /// The number of copies of each image in the page. Each reference to an image is replaced by a copy.
      public let copies: [URL: Int]
      /// The number of bytes of images and style sheets in the page.
      public let inlinedBytes: Int
      /// The images that were inlined, by their original URLs.
      public var inlined: Set<URL> { Set(copies.keys) }
      /// The images and style sheets with references that were not replaced, and the reasons. If only some references
      /// to an image were replaced, the reason is `URLError.dataLengthExceedsMaximum`.
      ///
      /// The URL of the page has an error if the inliner did not read all of it: `CancellationError`, or
      /// `URLError.dataLengthExceedsMaximum` if it exceeds the permitted work.
      public let failures: [URL: any Error]
    }

    /// Rewrites a page.
    ///
    /// Only pages and style sheets that are files themselves may refer to files. In other pages, a reference to a file
    /// is a failure, so that a page from the network cannot read files of this machine.
    ///
    /// - Parameters:
    ///   - html: the page's HTML, in UTF-8 or in another encoding that is a superset of ASCII.
    ///   - url: the URL of the page, which its references are relative to.
    public func inline(_ html: Data, at url: URL) async -> Page {
      let work = PageWork(pageBytes: html.count, inlinedBytes: maximumInlinedBytes)
      return await withTaskCancellationHandler {
        let page = [UInt8](html)
        let queue = DispatchQueue(label: "WebPLoading.HTMLInliner")
        let resources = PageResources(self, work, on: queue, pageBytes: page.count)
        await resources.load(for: page, at: url)
        return await queue.run { rewrite(page, at: url, resources, work) }
      } onCancel: {
        work.cancel()
      }
    }

    private func rewrite(_ page: [UInt8], at url: URL, _ resources: PageResources, _ work: PageWork) -> Page {
      let inliner = PageInliner(
        images: resources.images, styleSheets: resources.styleSheets, room: maximumInlinedBytes,
        replacesLazyAttributes: replacesLazyAttributes, work: work)
      let replaced = inliner.rewrite(page, base: url)
      var failures = resources.failures
      for refused in inliner.refused { failures[refused] = URLError.noRoomInPage }
      if let failure = work.failure { failures[url] = failure }
      return Page(html: Data(replaced), copies: inliner.copies, inlinedBytes: inliner.inlinedBytes, failures: failures)
    }

    /// Loads a resource that a page refers to. Uses `load` if it is not nil. Otherwise `maximumBytes` applies, except
    /// to data URLs.
    func contents(_ url: URL, maximumBytes: Int, _ work: PageWork) async throws -> (data: Data, url: URL) {
      try work.take(0)
      let loaded: (data: Data, url: URL)
      if url.isData {
        loaded = (try Data(dataURL: url), url)
      } else if let load {
        loaded = try await load(url)
      } else if url.isFileURL {
        loaded = try await Self.contents(of: url, maximumBytes: maximumBytes)
      } else {
        return try await Self.contents(of: url, maximumBytes: maximumBytes, from: upstream, work)
      }
      try work.take(loaded.data.count)
      return loaded
    }

    /// Loads a file or a URL. Returns its contents and its final URL after redirects. The app's cookies and credentials
    /// are not sent, and no cookies are stored.
    ///
    /// - Parameters:
    ///   - url: a file, http or https URL. Any address is allowed.
    ///   - maximumBytes: the maximum number of bytes.
    /// - Throws: `URLError`: `dataLengthExceedsMaximum` for more than `maximumBytes`; `unsupportedURL` for other
    ///   schemes; `fileDoesNotExist` for status 404 and 410, `noPermissionsToReadFile` for 403,
    ///   `userAuthenticationRequired` for 401 and 407, `badServerResponse` for other statuses outside of 2xx.
    ///   `POSIXError` if a file cannot be read or is not a regular file.
    public static func contents(
      of url: URL, maximumBytes: Int = Limits().maximumBytes
    ) async throws -> (data: Data, url: URL) {
      if url.isFileURL { return (try await Data(waitingForFile: url, maximumBytes: maximumBytes), url) }
      return try await contents(of: url, maximumBytes: maximumBytes, from: anonymous)
    }

    private static func contents(
      of url: URL, maximumBytes: Int, from upstream: Upstream, _ work: PageWork = PageWork()
    ) async throws -> (data: Data, url: URL) {
      var transfer = try await upstream.send(URLRequest(url: url), minimumBytesPerSecond: 256)
      let (status, final) = (transfer.response.statusCode, transfer.response.url ?? url)
      guard (200..<300).contains(status) else { throw URLError(status: status, url: final) }
      transfer.limit = .bytes(maximumBytes)
      var body = Data()
      while let piece = try await transfer.next() {
        try work.take(piece.count)
        body += piece
      }
      return (body, final)
    }

    /// Neither sends the app's cookies and credentials nor stores new ones.
    private static let anonymous = Upstream(anonymousConfiguration, keepsURLCache: true)

    private static var anonymousConfiguration: URLSessionConfiguration {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.httpCookieStorage = nil
      configuration.urlCredentialStorage = nil
      return configuration
    }
  }
}
