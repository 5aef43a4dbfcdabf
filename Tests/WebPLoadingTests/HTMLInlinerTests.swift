import ConformanceGenerator
import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPPages

/// Proves that the inliner finds the WebP images and style sheets of a page by the rules of HTML and CSS.
/// Expected values: pages written out in the tests. Inlined images are identified by the checksum of their pixels.
@Suite(.needs("python3")) struct HTMLInlinerTests {
  /// Runs the inliner on a page. `files` has the texts of its style sheets. Images are fixtures.
  ///
  /// - Returns: The page, in which each data URL is replaced by the name of its image in brackets, and the URLs that
  ///   the inliner could not load or convert.
  func inlined(_ html: String, files: [String: String] = [:]) async throws -> (html: String, failures: [URL]) {
    let inliner = WebP.HTMLInliner { url in
      if let text = files[url.absoluteString] { return (Data(text.utf8), url) }
      guard url.host == "site", Fixtures.references[url.lastPathComponent] != nil else {
        throw URLError(.cannotFindHost)
      }
      return (try Fixtures.bytes(url.lastPathComponent), url)
    }
    let result = await inliner.inline(Data(html.utf8), at: URL(string: "http://site/pages/page.html")!)
    var text = String(decoding: result.html, as: UTF8.self)
    while let start = text.range(of: "data:image/png;base64,") {
      let end = text[start.upperBound...].firstIndex {
        !($0.isASCII && ($0.isLetter || $0.isNumber || "+/=".contains($0)))
      }
      let png = try #require(Data(base64Encoded: String(text[start.upperBound..<(end ?? text.endIndex)])))
      let reference = try PNGReader(png).reference
      let name = Self.names[reference.rgba].map { "[\($0)]" } ?? "[?]"
      text.replaceSubrange(start.lowerBound..<(end ?? text.endIndex), with: name)
    }
    return (text, Array(result.failures.keys))
  }

  static let pictures = [
    "a": "encoder-cwebp-q75.webp", "b": "encoder-cwebp-alpha-best.webp", "c": "encoder-pillow-lossless.webp",
  ]
  static let names = [UInt32: String](
    uniqueKeysWithValues: pictures.map { (Fixtures.references[$0.value]!.rgba, $0.key) })

  /// Replaces `{a}`, `{b}` and `{c}` by the file names of these images.
  static func filled(_ html: String) -> String {
    pictures.reduce(html) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
  }

  @Test(
    arguments: [
      (#"<img src="{a}">"#, #"<img src="[a]">"#),
      (#"<IMG alt='x > y' SRC = '../{a}?x=1&amp;y=2#z' hidden/>"#, #"<IMG alt='x > y' SRC = '[a]' hidden/>"#),
      ("<img src={a} width=3><p>{a}</p>", "<img src=[a] width=3><p>encoder-cwebp-q75.webp</p>"),
      (#"<img src="//site/{b}"><img src=http://site/x/{c}>"#, #"<img src="[b]"><img src=[c]>"#),
      (#"<img src="a.png" data-src="{a}"><a href="{a}">"#, nil),
      (
        "<!-- > --!><img src={a}><!--><img src={b}><!---><img src={c}>",
        "<!-- > --!><img src=[a]><!--><img src=[b]><!---><img src=[c]>"
      ),
      (
        "<!--!><img src={a}><!-- -- ><img src={b}> --><img src={c}>",
        "<!--!><img src={a}><!-- -- ><img src={b}> --><img src=[c]>"
      ),
      (#"<!-- <img src="{a}"> --><script>"<img src='{a}'>"</script><textarea><img src={a}></textarea>"#, nil),
      (
        #"<img srcset="{a}, {b} 2x ,c.png 3x,{c} 4x" src=d.png>"#,
        #"<img srcset="[a], [b] 2x ,c.png 3x,[c] 4x" src=d.png>"#
      ),
      (
        "<img srcset='{a},, {b} 2x (,{a} 2x), {c} 3x'>", "<img srcset='[a],, [b] 2x (,{a} 2x), [c] 3x'>"
      ),
      (
        #"<picture><source type="image/webp" media="(min-width: 3px)" srcset="{a} 67w"><img src=e.png></picture>"#,
        #"<picture><source type="image/png" media="(min-width: 3px)" srcset="[a] 67w"><img src=e.png></picture>"#
      ),
      // If an image of a source with the type image/webp is not replaced, the complete source stays unchanged. Browsers
      // without WebP then ignore the source because of its type, and use the img element.
      ("<source type=image/webp srcset='{a} 1x, missing.webp 2x'>", nil),
      ("<source srcset='{a}, {b} 2x, a.png 3x' type='Image/WebP'>", nil),
      (
        "<source type=image/webp srcset='{a}, {b} 2x,'><source srcset='{a}, missing.webp 2x'>",
        "<source type=image/png srcset='[a], [b] 2x,'><source srcset='[a], missing.webp 2x'>"
      ),
      (
        #"<div style='background: url({a}) 1px, url("b.png")'>"#,
        #"<div style='background: url(&#34;[a]&#34;) 1px, url("b.png")'>"#
      ),
      (
        "<style>/* url({a}) */ a::before{content:'{a}';background:url( '{b}' )}</style>",
        "<style>/* url(encoder-cwebp-q75.webp) */ "
          + "a::before{content:'encoder-cwebp-q75.webp';background:url(\"[b]\")}</style>"
      ),
      (
        #"<style>a{background:image-set("{a}" type("image/webp"), "d.avif" type("image/avif"))}</style>"#,
        #"<style>a{background:image-set("[a]" type("image/png"), "d.avif" type("image/avif"))}</style>"#
      ),
      (
        #"<style>a{b:image-set('{a}' 1x, "{b}" 2x)}</style>"#, #"<style>a{b:image-set("[a]" 1x, "[b]" 2x)}</style>"#
      ),
      (
        #"<svg><image xlink:href="{a}"/><image href="{b}"/></svg>"#,
        #"<svg><image xlink:href="[a]"/><image href="[b]"/></svg>"#
      ),
      (
        #"<base href="http://other/"><img src="{a}"><img src="http://site/{a}">"#,
        #"<base href="http://other/"><img src="{a}"><img src="[a]">"#
      ),
      (#"<base href="http://other/"><base href="http://site/"><img src="{a}">"#, nil),
      (
        #"<link rel="shortcut icon" href="{a}" type="image/webp"><link rel=next href="{a}">"#,
        #"<link rel="shortcut icon" href="[a]" type="image/png"><link rel=next href="encoder-cwebp-q75.webp">"#
      ),
      ("<link rel=apple-touch-icon href={a}>", "<link rel=apple-touch-icon href=[a]>"),
      (#"<link rel=preload as=image href="{a}" imagesrcset="{b} 2x" type="image/webp">"#, nil),
      (
        #"<video poster="{a}"></video><input type=image src="{b}">"#,
        #"<video poster="[a]"></video><input type=image src="[b]">"#
      ),
      (
        "<embed src={a}><object data={b}></object><svg><feImage href={a} /><feImage xlink:href={b} /></svg>",
        "<embed src=[a]><object data=[b]></object><svg><feImage href=[a] /><feImage xlink:href=[b] /></svg>"
      ),
      (
        "<body background={a}><table background={b}><td background={c}><th background={a}><p background={a}>",
        "<body background=[a]><table background=[b]><td background=[c]><th background=[a]><p background={a}>"
      ),
      (
        "<xmp><img src={a}></xmp><iframe><img src={a}></iframe><noembed><img src={a}></noembed><noframes><img src={a}>",
        nil
      ),
      (
        "<script></scripts><img src={a}></script ><img src={b}>",
        "<script></scripts><img src=encoder-cwebp-q75.webp></script ><img src=[b]>"
      ),
      ("<title></titlE/><img src={a}><style></style", "<title></titlE/><img src=[a]><style></style"),
      (
        "<svg><style/><title a=b /><image href={a} /></svg><img src={b}>",
        "<svg><style/><title a=b /><image href=[a] /></svg><img src=[b]>"
      ),
      ("<svg/><style/><img src={a}></style>", nil), ("<svg><title a=b/><image href={a} /></title></svg>", nil),
      ("<svg/></SVG><math></math><style/><img src={a}></style>", nil),
      ("</svg><svg><style/><image href={a} /></svg>", "</svg><svg><style/><image href=[a] /></svg>"),
      ("<style>a{b:'\n}a{b:url({a});c:'\"'}</style>", "<style>a{b:'\n}a{b:url(\"[a]\");c:'\"'}</style>"),
      (#"<style>a{b:url(enco\000064er-cwebp-q75.webp)}</style>"#, #"<style>a{b:url("[a]")}</style>"#),
      ("<style>a{b:url('encoder-\\\ncwebp-q75.webp')}</style>", #"<style>a{b:url("[a]")}</style>"#),
      ("<img src='&#x65;ncoder&#X2d;cwebp-q75.webp'>", "<img src='[a]'>"),
      ("<", nil), ("<img", nil), ("<img src", nil), ("<img src=", nil), ("<img src='{a}", "<img src='[a]"),
      ("<style>url({a}", nil),
      ("<img ==src={a}>", nil), ("<!--", nil), ("<img srcset=', ,'>", nil), ("<p style='\\'>", nil),
      ("<img src='&#x110000;&#65;'>", nil),
    ] as [(String, String?)])
  func imageReferencesAreReplaced(page: String, expected: String?) async throws {
    let (html, _) = try await inlined(Self.filled(page))
    #expect(html == Self.filled(expected ?? page))
  }

  /// Only sheets with WebP images are inlined. In an inlined sheet, relative URLs become absolute.
  @Test func linksToStyleSheetsBecomeStyleElements() async throws {
    let files = [
      "http://site/css/with.css": Self.filled("a{background:url(../{a})}b{src:url(font.woff)}/* </style> */"),
      "http://site/css/without.css": "a{color:red}",
    ]
    let page = #"<link rel=stylesheet href=/css/without.css><link media="print" rel="stylesheet" href="/css/with.css">"#
    let (html, failures) = try await inlined(page, files: files)
    #expect(
      html == #"<link rel=stylesheet href=/css/without.css><style media="print">"#
        + #"a{background:url("[a]")}b{src:url("http://site/css/font.woff")}/* \3C /style> */</style>"#)
    #expect(failures.isEmpty)
  }

  /// An inlined sheet has the base URL of the page, so its imports are rewritten as absolute URLs.
  @Test(
    arguments: [
      (#"@import "x.css";"#, #"@import "http://site/css/x.css";"#),
      (#"@IMPORT/* @import "y.css" */ '/x.css' screen;"#, #"@IMPORT/* @import "y.css" */ "http://site/x.css" screen;"#),
      ("@import url(x.css);", #"@import url("http://site/css/x.css");"#),
      (##"@import 'x"y\a z?"#"';"##, ##"@import "http://site/css/x%22y%0Az?%22#%22";"##),
      (#"@charset "utf-8";@imports "x.css";"#, nil),
    ])
  func importsAreRelativeToTheSheet(rule: String, expected: String?) async throws {
    let files = ["http://site/css/a.css": rule + Self.filled("a{b:url(../{a})}")]
    let (html, _) = try await inlined("<link rel=stylesheet href=/css/a.css>", files: files)
    #expect(html == "<style>\(expected ?? rule)a{b:url(\"[a]\")}</style>")
  }

  @Test(arguments: ["disabled", "DISABLED=''", "disabled=false"]) func disabledLinksAreUnchanged(attribute: String)
    async throws
  {
    let page = "<link \(attribute) rel=stylesheet href=/a.css><link rel=stylesheet \(attribute) href=/a.css>"
    let (html, failures) = try await inlined(page, files: ["http://site/a.css": Self.filled("a{b:url({a})}")])
    #expect(html == page && failures.isEmpty)
  }

  /// After a redirect, the references of a page or style sheet are relative to its new URL.
  @Test func redirectsChangeTheBase() async throws {
    let id = Exchange("").id
    let picture = "\(Self.pictures["a"]!)?id=\(id)"
    try await withFolder(["page.html": "<img src='\(picture)'>", "a.css": "a{b:url(\(picture))}"]) { server in
      let site = URL(string: "http://127.0.0.1:\(server.port)/")!
      func url(_ text: String) -> URL { URL(string: text, relativeTo: site)!.absoluteURL }
      let page = try await WebP.HTMLInliner.contents(of: url("old.html?to=/dir/page.html"))
      #expect(page.url == url("dir/page.html"))
      let sheet = Data("<link rel=stylesheet href='/old.css?to=/dir/a.css'>".utf8)
      for (html, base) in [(page.data, page.url), (sheet, url("page.html"))] {
        let result = await WebP.HTMLInliner().inline(html, at: base)
        #expect(result.failures.isEmpty && result.inlined == [url("dir/\(picture)")])
      }
    }
  }

  func withFolder(_ files: [String: String], _ body: (TestServer) async throws -> Void) async throws {
    let folder = TemporaryFolder.place()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    try await body(TestServer([folder] + Fixtures.folders))
  }
}
