import ConformanceGenerator
import Foundation
import PureWebP
import Testing

@testable import WebPLoading
@testable import WebPPages

/// Proves that the text of an inlined sheet contains no markup, because browsers may ignore the tag of a style element.
/// Expected values: sheets that are written in the tests, and random ones.
@Suite struct StyleSheetMarkupTests {
  private static let site = URL(string: "http://site/")!

  /// Returns the replacement of a link to a sheet.
  private func inlined(_ css: String) throws -> String {
    let sheet = try PageInliner.StyleSheet(Data(css.utf8), url: Self.site)
    let (image, link) = (Self.site.appendingPathComponent("a.webp"), "<link rel=stylesheet href=a.css>")
    let inliner = PageInliner(
      images: [image: "data:,"], styleSheets: [Self.site.appendingPathComponent("a.css"): sheet], room: .max)
    return String(decoding: inliner.rewrite(Array(link.utf8), base: Self.site), as: UTF8.self)
  }

  /// A less-than sign is escaped (CSS Syntax Level 3, section 4.3.7). In a media query, where it cannot be escaped, a
  /// space follows it (Media Queries Level 4, section 2.4.3).
  @Test(
    arguments: [
      (#"a{b:"<img src=x onerror=y()>"}"#, #"a{b:"\3C img src=x onerror=y()>"}"#),
      ("a{b:'</style><script>x()<!--<?x'}", #"a{b:'\3C /style>\3C script>x()\3C !--\3C ?x'}"#),
      (#"a{b:"\<i \\<i \\\<i \22<i"}"#, #"a{b:"\3C i \\\3C i \\\3C i \22\3C i"}"#),
      ("a{b:'\\\n<i\"<i'}", "a{b:'\\\n\\3C i\"\\3C i'}"),
      (#".a\<i,.\"<1{}"#, #".a\3C i,.\"<1{}"#),
      ("/* </style> *//*/<i*/ /*\\*/@media (1px<width){}", #"/* \3C /style> *//*/\3C i*/ /*\*/@media (1px< width){}"#),
      ("@media (1px<=width<9px) and (1px</**/height){}", "@media (1px<=width<9px) and (1px< /**/height){}"),
      (#"a{b:URL( #<i'<i)}@media (1px<width){}"#, #"a{b:URL( #\3C i'\3C i)}@media (1px< width){}"#),
      (##"a{b:url( "#<i" )}@media (1px<width){}"##, ##"a{b:url( "#\3C i" )}@media (1px< width){}"##),
      ("a{b:url(c?<i>)}", #"a{b:url("http://site/c?%3Ci%3E")}"#),
      (#"@import "<i>";"#, #"@import "http://site/%3Ci%3E";"#),
      (#"a <\75rl(a.webp) onfocus=x()>{}"#, #"a < url("data:,") onfocus=x()>{}"#),
      ("a{b:'<i", "a{b:'\\3C i"), ("<", "<"), ("a{b:'<", "a{b:'<"),
    ])
  func lessThanSignsAreEscaped(rules: String, expected: String) throws {
    #expect(try inlined(rules) == "<style>\(expected)</style>")
  }

  /// The less-than signs of these sheets can be neither escaped nor followed by a space without changing the meaning.
  @Test(arguments: ["<!-- a{} -->", "a{width:attr(b type(<length>))}", "a{}<!--", "a{b:'\n<i>}"])
  func invalidSheetsAreNotInlined(css: String) async throws {
    #expect(throws: URLError.self) { try inlined(css) }
    let page = Data("<link rel=stylesheet href=a.css>".utf8)
    let inliner = WebP.HTMLInliner { (Data((css + "a{b:url(a.webp)}").utf8), $0) }
    let result = await inliner.inline(page, at: Self.site)
    #expect(result.html == page)
    #expect(result.failures[Self.site.appendingPathComponent("a.css")] is URLError)
  }

  /// Combines random pieces of style sheets, with random replacements of references.
  @Test func sheetsContainNoMarkup() throws {
    let pieces = [
      "<", "<", "<", "\\", "\\", "\"", "'", "url(", "u\\72l(", "\\75rl(", ")", "/*", "*/", "!--", "i", "?", "/", "\n",
      " ", "a.webp", "\"a.webp\"", "@import ", "image-set(", ">", "é",
    ]
    var random = SplitMix64(seed: 9)
    var written = 0
    for _ in 0..<2000 {
      let css = (0..<Int.random(in: 1...12, using: &random)).map { _ in pieces.randomElement(using: &random)! }.joined()
      guard let style = try? inlined(css) else { continue }
      written += 1
      let text = Array(style.utf8.dropFirst("<style>".utf8.count).dropLast("</style>".utf8.count))
      for (sign, next) in zip(text, text.dropFirst()) where sign == UInt8(ascii: "<") {
        #expect(!next.isLetter && !"!/?".utf8.contains(next), "\(css)")
      }
    }
    #expect(written > 1600)
  }

  /// An algorithm with quadratic time would take many seconds for these sheets.
  @Test(arguments: ["'%'", "(%)", "/*%*/", "url(%"]) func sheetsMayConsistOfLessThanSigns(rule: String) throws {
    let count = 20_000
    let signs = String(repeating: "<i ", count: count)
    let text = try inlined(rule.replacingOccurrences(of: "%", with: signs))
    #expect(text.utf8.count { $0 == UInt8(ascii: "<") } == (rule == "(%)" ? count : 0) + 2)
  }
}
