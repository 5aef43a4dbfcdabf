import Foundation
import PureWebP
import Testing

@testable import WebPLoading
@testable import WebPPages

/// Proves that the text around an image in an attribute is unchanged, byte by byte.
/// Expected values: attributes that are written in the tests.
@Suite struct AttributeInliningTests {
  private func rewritten(_ page: [UInt8], by text: String = "new") throws -> [UInt8] {
    let base = try #require(URL(string: "http://site/"))
    let replacements = PageReplacements(
      base: base, image: { $0.looksLikeWebP ? text : nil }, styleSheet: { _ in nil })
    return HTMLRewriter.rewrite(page, replacements)
  }

  /// The surrounding text is unchanged in each of two encodings.
  @Test(
    arguments: [
      "é", "&eacute;", "&#233;", "&#xE9;", "&#151;", "&copy", "&amp;&lt;&quot;&amp;amp;", "&nbsp;é&", "é\u{A0}",
    ], [String.Encoding.utf8, .isoLatin1])
  func surroundingTextIsUnchanged(text: String, encoding: String.Encoding) throws {
    let new = "url(&#34;new&#34;)"
    for (before, after) in [
      (#"<p style="font-family:'%';b:url(a.webp)">"#, #"<p style="font-family:'%';b:\#(new)">"#),
      (#"<p style="b:url(&#39;a.webp&#39;) 1px;--a:'%'">"#, #"<p style="b:\#(new) 1px;--a:'%'">"#),
      ("<img alt='%' srcset='%.png?%=% 1x, a.webp 2x,%'>", "<img alt='%' srcset='%.png?%=% 1x, new 2x,%'>"),
      ("<p style=--a:'%';b:url(a.webp?x&amp;y) title=%>", "<p style=--a:'%';b:\(new) title=%>"),
    ] {
      func bytes(_ page: String) throws -> [UInt8] {
        [UInt8](try #require(page.replacingOccurrences(of: "%", with: text).data(using: encoding)))
      }
      #expect(try rewritten(bytes(before)) == bytes(after))
    }
  }

  /// Scripts take images from these attributes later. Without the option, they are failures.
  @Test func lazyAttributesAreReportedOrReplaced() async throws {
    let webP = try Fixtures.bytes("encoder-cwebp-q75.webp")
    var inliner = WebP.HTMLInliner { (webP, $0) }
    let page = """
      <img data-src=1.webp><img src=2.webp data-src=3.png><p data-bg=4.webp></p>
      <p data-bg='url("5.webp"), url(6.png)'></p>
      <source type="image/webp" data-srcset="7.webp, 8.webp 2x"><img data-srcset="9.png, 1.webp 2x">
      """
    let url = try #require(URL(string: "http://site/"))
    func names(_ urls: some Sequence<URL>) -> Set<String> { Set(urls.map(\.lastPathComponent)) }
    let reported = await inliner.inline(Data(page.utf8), at: url)
    #expect(names(reported.inlined) == ["2.webp"])
    #expect(names(reported.failures.keys) == ["1.webp", "4.webp", "5.webp", "7.webp", "8.webp"])

    inliner.replacesLazyAttributes = true
    let replaced = await inliner.inline(Data(page.utf8), at: url)
    #expect(replaced.failures.isEmpty)
    let single = String(decoding: await inliner.inline(Data("<img src=1.webp>".utf8), at: url).html, as: UTF8.self)
    let png = String(single.dropFirst("<img src=".count).dropLast())
    var html = String(decoding: replaced.html, as: UTF8.self)
    html = html.replacingOccurrences(of: png, with: "png").replacingOccurrences(of: "&#34;", with: "\"")
    #expect(
      html == """
        <img data-src=png><img src=png data-src=3.png><p data-bg=png></p>
        <p data-bg='url("png"), url(6.png)'></p>
        <source type="image/png" data-srcset="png, png 2x"><img data-srcset="9.png, png 2x">
        """)
  }

  /// Attributes with single quotes, with double quotes, and without quotes.
  @Test(arguments: ["'", "\"", ""]) func attributesKeepTheirEnd(quote: String) throws {
    let page = try rewritten(Array("<img src=\(quote)a.webp\(quote) alt>".utf8), by: "a&amp;b\"c'd>e f\ng")
    let value = "a&#38;amp;b&#34;c&#39;d&#62;e&#32;f&#10;g"
    #expect(String(decoding: page, as: UTF8.self) == "<img src=\(quote)\(value)\(quote) alt>")
  }
}
