import Foundation
import PureWebP
import TestSupport
import Testing
import WebPLoading
import WebPPages

/// Returns the page with [png] in place of each data URL.
private func withoutData(_ page: Data) -> String {
  var html = String(decoding: page, as: UTF8.self)
  while let start = html.range(of: "data:image/png;base64,"),
    let end = html[start.upperBound...].firstIndex(of: "\"")
  {
    html.replaceSubrange(start.lowerBound..<end, with: "[png]")
  }
  return html
}

/// Proves that links to style sheets with images are replaced by the sheets.
/// Expected values: pages that are written in the tests.
@Suite struct StyleSheetInliningTests {
  /// Inlines a page with one style sheet, and puts [png] in place of each data URL.
  private func inlined(_ page: String, css: Data) async throws -> (html: String, failures: [URL: any Error]) {
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let inliner = WebP.HTMLInliner { ($0.pathExtension == "css" ? css : picture, $0) }
    let result = await inliner.inline(Data(page.utf8), at: URL(string: "http://site/")!)
    return (withoutData(result.html), result.failures)
  }

  private let css = "a{b:url(a.webp)}"
  private let text = #"a{b:url("[png]")}</style>"#

  @Test(
    arguments: [
      (
        #"<link rel=stylesheet href=a.css media=print onload="this.media='all'">"#,
        #"<style media=print onload="this.media='all'">"#
      ),
      (
        #"<LINK id='i' nonce="n&amp;" rel="stylesheet"title="t"href=a.css type=TEXT/css hidden />"#,
        #"<style id='i' nonce="n&amp;" title="t" hidden>"#
      ),
      ("<link href=a.css rel=stylesheet integrity>", "<style integrity>"),
      ("<link type='text/css; charset=utf-8' rel=stylesheet href=a.css>", "<style>"),
      ("<link type='' rel='x stylesheet' rel=y href=a.css>", "<style>"),
    ])
  func attributesOfLinksAreKept(link: String, style: String) async throws {
    let (html, failures) = try await inlined("<p>\(link)</p>", css: Data(css.utf8))
    #expect(html == "<p>\(style)\(text)</p>" && failures.isEmpty)
  }

  /// Links with an integrity check, links that browsers do not load or disable, and incomplete tags.
  @Test(
    arguments: [
      "stylesheet integrity='sha256-x'>", "stylesheet type=text/less>", "stylesheet ", "stylesheet title='>",
      "'alternate stylesheet' title=x>",
    ])
  func unsuitableLinksAreUnchanged(rest: String) async throws {
    let page = "<link href=a.css rel=\(rest)"
    let (html, failures) = try await inlined(page, css: Data(css.utf8))
    #expect(html == page && failures.isEmpty)
  }

  /// An image that is not loaded stays a WebP. Its type must not make a browser without WebP select it.
  @Test(arguments: [#""%""#, #"url("%")"#]) func typesMatchTheImages(reference: String) async throws {
    func set(_ first: String, _ type: String, _ last: String) -> String {
      func named(_ name: String) -> String { reference.replacingOccurrences(of: "%", with: name) }
      let images = "\(named(first)) type(\"image/\(type)\"),\(named(last)) type(\"image/png\")"
      return "a{b:url(\"\(last)\");c:image-set(\(images))}"
    }
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let css = set("missing.webp", "webp", "d.png") + set("a.webp", "webp", "a.webp")
    let inliner = WebP.HTMLInliner { url in
      if url.lastPathComponent == "missing.webp" { throw URLError(.fileDoesNotExist) }
      return (url.pathExtension == "css" ? Data(css.utf8) : picture, url)
    }
    let site = try #require(URL(string: "http://site/"))
    let html = await inliner.inline(Data("<link rel=stylesheet href=a.css>".utf8), at: site).html
    let expected = set("http://site/missing.webp", "webp", "http://site/d.png") + set("[png]", "png", "[png]")
    #expect(withoutData(html) == "<style>\(expected)</style>")
  }

  @Test func sheetsMayBeDataURLs() async throws {
    let (html, failures) = try await inlined(
      "<link rel=stylesheet href='data:text/css,a{b:url(http://site/a.webp)}'>", css: Data())
    #expect(html == "<style>\(text)" && failures.isEmpty)
  }

  @Test func byteOrderMarksAreRemoved() async throws {
    let (html, _) = try await inlined(
      "<link rel=stylesheet href=a.css>", css: [0xEF, 0xBB, 0xBF] + Data(css.utf8))
    #expect(Array(html.utf8) == Array("<style>\(text)".utf8))
  }

  /// The byte 0xE9 is é in Latin-1. A sheet without such bytes has the same meaning in Latin-1 and UTF-8.
  @Test func sheetsInOtherEncodingsAreUnchanged() async throws {
    let (page, rule) = ("<link rel=stylesheet href=a.css>", #"@charset "iso-8859-1";"#)
    let (html, failures) = try await inlined(page, css: Data((rule + css).utf8) + [0xE9])
    #expect(html == page && failures.values.map { ($0 as? URLError)?.code } == [.cannotDecodeContentData])
    #expect(try await inlined(page, css: Data((rule + css).utf8)).html == "<style>\(rule)\(text)")
  }
}

/// Proves that a sheet's characters have the same meaning in a page of any encoding.
/// Expected values: escapes by CSS Syntax Level 3.
@Suite struct StyleSheetEncodingTests {
  /// Escapes contain the code point in hexadecimal (CSS Syntax Level 3, section 4.3.7).
  @Test(
    arguments: [
      ("a::before{content:'→ x'}", "a::before{content:'\\2192  x'}"),
      (".é1>日b{--ü:é}", ".\\e9 1>\\65e5 b{--\\fc :\\e9 }"),
      (#"a{b:'\é\\é\\\é'}"#, #"a{b:'\e9 \\\e9 \\\e9 '}"#),
      ("/*🎉*/a{b:日url(c.webp)}", "/*\\1f389 */a{b:\\65e5 url(c.webp)}"),
      (#"a{b:u\72 l(a.webp)}"#, #"a{b:url("[png]")}"#),
    ])
  func charactersAreEscaped(rules: String, expected: String) async throws {
    let css = rules + "d{e:url(a.webp)}"
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let inliner = WebP.HTMLInliner { ($0.pathExtension == "css" ? Data(css.utf8) : picture, $0) }
    let start: [UInt8] = Array("<meta charset=iso-8859-1><p>".utf8) + [0xE9]
    let site = try #require(URL(string: "http://site/"))
    let result = await inliner.inline(Data(start) + Data("<link rel=stylesheet href=a.css>".utf8), at: site)
    #expect(result.failures.isEmpty && result.html.starts(with: start))
    let style = withoutData(result.html.dropFirst(start.count))
    #expect(style == "<style>\(expected)d{e:url(\"[png]\")}</style>")
  }
}

/// Proves that a style element has the same effect as its link.
/// Expected values: what Chromium displays.
@Suite(.enabled(if: Chromium.isWanted, "BROWSER_TESTS is not set")) struct StyleSheetBrowserTests {
  @Test func stylesOfLinksThatLoadLaterApply() async throws {
    let folder = TemporaryFolder.place()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    let css = "p { color: rgb(1, 2, 3); background: url(a.webp) }"
    let page = """
      <!doctype html><link rel=stylesheet href=a.css media=print onload="this.media='all'"><p>Words
      <script>
      onload = () => setTimeout(() => document.title = getComputedStyle(document.querySelector('p')).color)
      </script>
      """
    let inliner = WebP.HTMLInliner { ($0.pathExtension == "css" ? Data(css.utf8) : picture, $0) }
    let html = await inliner.inline(Data(page.utf8), at: URL(string: "http://site/")!).html
    #expect(html.count > 1000)
    try html.write(to: folder.appendingPathComponent("page.html"))
    let server = TestServer([folder])
    let site = try #require(URL(string: "http://127.0.0.1:\(server.port)/page.html"))
    #expect(try await Chromium.dom(of: site).contains("<title>rgb(1, 2, 3)</title>"))
  }
}
