import Foundation
import PureWebP
import TestSupport
import Testing
import WebPLoading
import WebPPages

/// Proves that imported style sheets, pages in attributes and repeated images are embedded.
/// Expected values: pages that are written in the tests.
@Suite struct NestedInliningTests {
  private func page(_ html: String, files: [String: String] = [:]) async throws -> WebP.HTMLInliner.Page {
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let inliner = WebP.HTMLInliner { url in
      if url.pathExtension == "webp" { return (picture, url) }
      guard let text = files[url.path] else { throw URLError(.fileDoesNotExist) }
      return (Data(text.utf8), url)
    }
    return await inliner.inline(Data(html.utf8), at: URL(string: "http://site/")!)
  }

  /// Returns the page with [png] in place of each PNG. The data URL of a style sheet is replaced by its text in
  /// brackets.
  private func text(_ html: String, files: [String: String] = [:]) async throws -> String {
    var text = String(decoding: try await page(html, files: files).html, as: UTF8.self)
    for (start, isSheet) in [("data:image/png;base64,", false), ("data:text/css;base64,", true)] {
      while let start = text.range(of: start) {
        let end = text[start.upperBound...].firstIndex { !$0.isLetter && !$0.isNumber && !"+/=".contains($0) }
        let content = try #require(Data(base64Encoded: String(text[start.upperBound..<(end ?? text.endIndex)])))
        var shown = isSheet ? "[\(String(decoding: content, as: UTF8.self))]" : "[png]"
        if let png = shown.range(of: #"data:image/png[^"]*"#, options: .regularExpression) {
          shown.replaceSubrange(png, with: "[png]")
        }
        text.replaceSubrange(start.lowerBound..<(end ?? text.endIndex), with: shown)
      }
    }
    return text
  }

  private let link = "<link rel=stylesheet href=a.css>"

  /// Eight sheets import one another. The ninth is not loaded, so the image in it stays.
  @Test(arguments: [8, 9]) func importsHaveEightLevels(count: Int) async throws {
    var files: [String: String] = [:]
    for level in 1..<count { files["/\(level).css"] = "@import '\(level + 1).css';" }
    files["/\(count).css"] = "a{b:url(x.webp)}"
    let page = try await page("<link rel=stylesheet href=1.css>", files: files)
    #expect(page.inlined.count == (count == 8 ? 1 : 0))
  }

  /// The sheet does not fit, because it is followed by a long text. The room of its image is free for the page's image.
  @Test func sheetsThatDoNotFitTakeNoRoom() async throws {
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let css = "a{b:url(x.webp)}" + String(repeating: "c{d:url(e.png)}", count: 2000)
    var inliner = WebP.HTMLInliner { (($0.pathExtension == "webp") ? picture : Data(css.utf8), $0) }
    let site = try #require(URL(string: "http://site/"))
    let needed = await inliner.inline(Data("<img src=x.webp>".utf8), at: site).inlinedBytes
    inliner.maximumInlinedBytes = css.utf8.count + needed + 1000
    let page = await inliner.inline(Data("\(link)<img src=x.webp>".utf8), at: site)
    #expect(page.copies == [site.appendingPathComponent("x.webp"): 1] && page.inlinedBytes == needed)
  }

  @Test func importedSheetsBecomeDataURLs() async throws {
    let files = ["/a.css": #"@import "sub/b.css" screen;c{}"#, "/sub/b.css": "d{e:url(../x.webp);f:url(g.png)}"]
    let sheet = #"@import "[d{e:url("[png]");f:url("http://site/sub/g.png")}]" screen;c{}"#
    #expect(try await text(link, files: files) == "<style>\(sheet)</style>")
    let within = "<style>@import url(/sub/b.css) screen;</style>"
    #expect(
      try await text(within, files: files)
        == #"<style>@import url("[d{e:url("[png]");f:url("http://site/sub/g.png")}]") screen;</style>"#)
  }

  @Test func sheetsWithoutImagesAreUnchanged() async throws {
    let files = ["/a.css": #"@import "b.css";"#, "/b.css": #"@import "none.css";c{d:url(e.png)}"#]
    #expect(try await text(link, files: files) == link)
  }

  @Test func importCyclesEnd() async throws {
    let files = ["/a.css": #"@import "b.css";c{d:url(x.webp)}"#, "/b.css": #"@import "a.css";e{}"#]
    let imported = #"[@import "http://site/a.css";e{}]"#
    #expect(try await text(link, files: files) == "<style>@import \"\(imported)\";c{d:url(\"[png]\")}</style>")
  }

  @Test(
    arguments: [
      ("<iframe srcdoc=\"<img src='x.webp'>\"></iframe>", "<iframe srcdoc=\"<img src='[png]'>\"></iframe>"),
      (
        "<iframe srcdoc='&lt;img src=x.webp alt=\"&amp;amp;\">'>",
        "<iframe srcdoc='&lt;img src=[png] alt=\"&amp;amp;\">'>"
      ),
      ("<iframe srcdoc='<p style=a:url(x.webp)>'>", "<iframe srcdoc='<p style=a:url(&#38;#34;[png]&#38;#34;)>'>"),
    ])
  func pagesInAttributesAreRewritten(html: String, expected: String) async throws {
    #expect(try await text(html) == expected)
  }

  @Test func copiesAreCounted() async throws {
    let result = try await page("<img src=x.webp><img src=x.webp><p style='a:url(x.webp)'><img src=y.webp>")
    #expect(result.copies == [URL(string: "http://site/x.webp")!: 3, URL(string: "http://site/y.webp")!: 1])
    let html = String(decoding: result.html, as: UTF8.self)
    let urls = html.matches(of: /data:image\/png;base64,[A-Za-z0-9+\/=]+/).map { $0.output.utf8.count }
    #expect(urls.count == 4 && result.inlinedBytes == urls.reduce(0, +))
  }
}
