import Foundation
import Testing

@testable import WebPLoading

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

  /// Attributes with single quotes, with double quotes, and without quotes.
  @Test(arguments: ["'", "\"", ""]) func attributesKeepTheirEnd(quote: String) throws {
    let page = try rewritten(Array("<img src=\(quote)a.webp\(quote) alt>".utf8), by: "a&amp;b\"c'd>e f\ng")
    let value = "a&#38;amp;b&#34;c&#39;d&#62;e&#32;f&#10;g"
    #expect(String(decoding: page, as: UTF8.self) == "<img src=\(quote)\(value)\(quote) alt>")
  }
}
