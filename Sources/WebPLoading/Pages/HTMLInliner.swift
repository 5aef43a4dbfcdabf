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
  public struct HTMLInliner: Sendable {
    /// Loads what a URL names.
    public typealias Loader = @Sendable (URL) async throws -> Data

    /// How the images are converted, and what is refused: also style sheets of more bytes than its limits allow.
    public var conversion = ConversionOptions()
    private let load: Loader?

    /// - Parameter load: nil: files are read, and the rest is loaded, up to the limit of `conversion`.
    public init(load: Loader? = nil) {
      self.load = load
    }

    /// What a page has become.
    public struct Result: Sendable {
      /// The page.
      public let html: Data
      /// The images that are part of the page now.
      public let inlined: Set<URL>
      /// The images and style sheets that were left as they are, and why.
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

      var sheets: [URL: [UInt8]] = [:]
      var images = allowed(names.images, by: url)
      for (sheet, result) in await loadAll(allowed(names.styleSheets, by: url), contents) {
        switch result {
        case .success(let data):
          let css = [UInt8](data)
          let named = allowed(Names(css: css, base: sheet).images, by: sheet)
          if !named.isEmpty { sheets[sheet] = css }
          images.formUnion(named)
        case .failure(let error): failures[sheet] = error
        }
      }

      var pngs: [URL: String] = [:]
      for (image, result) in await loadAll(images, dataURL) {
        switch result {
        case .success(let url): pngs[image] = url
        case .failure(let error): failures[image] = error
        }
      }

      let replaced = HTMLRewriter.rewrite(
        page,
        PageReplacements(
          base: url, image: { pngs[$0] },
          styleSheet: { sheet in
            sheets[sheet].map { css in
              // What the sheet names besides is relative to the sheet, and the page is elsewhere.
              let replacements = PageReplacements(
                base: sheet, image: { pngs[$0] ?? $0.absoluteString }, styleSheet: { _ in nil })
              return String(decoding: CSSRewriter.edits(css, replacements).applied(to: css), as: UTF8.self)
            }
          }))
      return Result(html: Data(replaced), inlined: Set(pngs.keys), failures: failures)
    }

    @Sendable private func dataURL(_ url: URL) async throws -> String {
      let webP = url.scheme?.lowercased() == "data" ? try Data(dataURL: url) : try await contents(of: url)
      let converter = PNGConverter(options: conversion)
      let png = try converter.append(webP) + converter.finish()
      return "data:image/png;base64," + png.base64EncodedString()
    }

    @Sendable private func contents(of url: URL) async throws -> Data {
      if let load { return try await load(url) }
      return try await Self.contents(of: url, maximumBytes: conversion.limits.maximumBytes)
    }

    /// What a file or a URL holds.
    ///
    /// - Throws: `URLError`, `dataLengthExceedsMaximum` where there are more than `maximumBytes`; for files, what
    ///   Foundation throws.
    public static func contents(of url: URL, maximumBytes: Int = Limits().maximumBytes) async throws -> Data {
      guard url.isFile else { return try await BodyLoad.body(of: url, maximumBytes: maximumBytes) }
      let size = try url.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
      guard size <= maximumBytes else { throw URLError(.dataLengthExceedsMaximum) }
      return try Data(contentsOf: url)
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

/// Calls `load` for all URLs, a few at once.
private func loadAll<Value: Sendable>(
  _ urls: Set<URL>, _ load: @escaping @Sendable (URL) async throws -> Value
) async -> [(URL, Result<Value, any Error>)] {
  await withTaskGroup(of: (URL, Result<Value, any Error>).self) { group in
    var results: [(URL, Result<Value, any Error>)] = []
    var running = 0
    for url in urls {
      if running == 6, let result = await group.next() {
        results.append(result)
        running -= 1
      }
      group.addTask {
        do { return (url, .success(try await load(url))) } catch { return (url, .failure(error)) }
      }
      running += 1
    }
    for await result in group { results.append(result) }
    return results
  }
}

extension Data {
  /// What is in a data URL (RFC 2397).
  fileprivate init(dataURL: URL) throws {
    let text = dataURL.absoluteString
    guard let comma = text.firstIndex(of: ",") else { throw URLError(.badURL) }
    let body = String(text[text.index(after: comma)...])
    if text[..<comma].lowercased().hasSuffix(";base64") {
      guard let data = Data(base64Encoded: body.removingPercentEncoding ?? body, options: .ignoreUnknownCharacters)
      else {
        throw URLError(.badURL)
      }
      self = data
    } else {
      var bytes: [UInt8] = []
      var rest = Array(body.utf8)[...]
      while let byte = rest.popFirst() {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let code = UInt8(digits, radix: 16) {
          bytes.append(code)
          rest = rest.dropFirst(2)
        } else {
          bytes.append(byte)
        }
      }
      self.init(bytes)
    }
  }
}
