import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

@Suite struct HTMLInlinerTests {
  /// Inlines with files from memory, and puts the name of the picture, which the pixels tell, for each data URL.
  private func inlined(_ html: String, files: [String: String] = [:]) async throws -> (html: String, failures: [URL]) {
    let inliner = WebP.HTMLInliner { url in
      if let text = files[url.absoluteString] { return Data(text.utf8) }
      guard url.host == "site", Fixtures.references[url.lastPathComponent] != nil else {
        throw URLError(.cannotFindHost)
      }
      return try Fixtures.bytes(url.lastPathComponent)
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

  private static let pictures = [
    "a": "encoder-cwebp-q75.webp", "b": "encoder-cwebp-alpha-best.webp", "c": "encoder-pillow-lossless.webp",
  ]
  private static let names = [UInt32: String](
    uniqueKeysWithValues: pictures.map { (Fixtures.references[$0.value]!.rgba, $0.key) })

  /// `{a}` stands for the path of a picture.
  private static func filled(_ html: String) -> String {
    pictures.reduce(html) { $0.replacingOccurrences(of: "{\($1.key)}", with: $1.value) }
  }

  @Test(
    arguments: [
      (#"<img src="{a}">"#, #"<img src="[a]">"#),
      (#"<IMG alt='x > y' SRC = '../{a}?x=1&amp;y=2#z' hidden/>"#, #"<IMG alt='x > y' SRC = "[a]" hidden/>"#),
      ("<img src={a} width=3><p>{a}</p>", #"<img src="[a]" width=3><p>encoder-cwebp-q75.webp</p>"#),
      (#"<img src="//site/{b}"><img src=http://site/x/{c}>"#, #"<img src="[b]"><img src="[c]">"#),
      (#"<img src="a.png" data-src="{a}"><a href="{a}">"#, nil),
      (#"<!-- <img src="{a}"> --><script>"<img src='{a}'>"</script><textarea><img src={a}></textarea>"#, nil),
      (
        #"<img srcset="{a}, {b} 2x ,c.png 3x,{c} 4x" src=d.png>"#,
        #"<img srcset="[a], [b] 2x ,c.png 3x,[c] 4x" src=d.png>"#
      ),
      (
        #"<picture><source type="image/webp" media="(min-width: 3px)" srcset="{a} 67w"><img src=e.png></picture>"#,
        #"<picture><source type="image/png" media="(min-width: 3px)" srcset="[a] 67w"><img src=e.png></picture>"#
      ),
      (
        #"<div style='background: url({a}) 1px, url("b.png")'>"#,
        #"<div style="background: url(&quot;[a]&quot;) 1px, url(&quot;b.png&quot;)">"#
      ),
      (
        "<style>/* url({a}) */ a::before{content:'{a}';background:url( '{b}' )}</style>",
        "<style>/* url(encoder-cwebp-q75.webp) */ a::before{content:'encoder-cwebp-q75.webp';background:url(\"[b]\")}</style>"
      ),
      (
        #"<style>a{background:image-set("{a}" type("image/webp"), "d.avif" type("image/avif"))}</style>"#,
        #"<style>a{background:image-set("[a]" type("image/png"), "d.avif" type("image/avif"))}</style>"#
      ),
      (
        #"<svg><image xlink:href="{a}"/><image href="{b}"/></svg>"#,
        #"<svg><image xlink:href="[a]"/><image href="[b]"/></svg>"#
      ),
      (
        #"<base href="http://other/"><img src="{a}"><img src="http://site/{a}">"#,
        #"<base href="http://other/"><img src="{a}"><img src="[a]">"#
      ),
      (
        #"<link rel="shortcut icon" href="{a}" type="image/webp"><link rel=next href="{a}">"#,
        #"<link rel="shortcut icon" href="[a]" type="image/png"><link rel=next href="encoder-cwebp-q75.webp">"#
      ),
      (
        #"<video poster="{a}"></video><input type=image src="{b}">"#,
        #"<video poster="[a]"></video><input type=image src="[b]">"#
      ),
      ("<", nil), ("<img", nil), ("<img src", nil), ("<img src=", nil), ("<img src='{a}", #"<img src="[a]""#),
      ("<style>url({a}", nil),
      ("<img ==src={a}>", nil), ("<!--", nil), ("<img srcset=', ,'>", nil), ("<p style='\\'>", nil),
      ("<img src='&#x110000;&#65;'>", nil),
    ] as [(String, String?)])
  func references(page: String, expected: String?) async throws {
    let (html, _) = try await inlined(Self.filled(page))
    #expect(html == Self.filled(expected ?? page))
  }

  @Test func styleSheetsTakeThePlaceOfTheirLinks() async throws {
    let files = [
      "http://site/css/with.css": Self.filled("a{background:url(../{a})}b{src:url(font.woff)}/* </style> */"),
      "http://site/css/without.css": "a{color:red}",
    ]
    let page = #"<link rel=stylesheet href=/css/without.css><link media="print" rel="stylesheet" href="/css/with.css">"#
    let (html, failures) = try await inlined(page, files: files)
    #expect(
      html == #"<link rel=stylesheet href=/css/without.css><style media="print">"#
        + #"a{background:url("[a]")}b{src:url("http://site/css/font.woff")}/* <\/style> */</style>"#)
    #expect(failures.isEmpty)
  }

  @Test func dataURLs() async throws {
    let webP = try Fixtures.bytes(Self.pictures["a"]!).base64EncodedString()
    #expect(try await inlined(#"<img src="data:image/webp;base64,\#(webP)">"#).html == #"<img src="[a]">"#)
  }

  @Test func whatFailsStays() async throws {
    let page = #"<img src="http://nowhere/x.webp"><link rel=stylesheet href="http://nowhere/x.css">"#
    let (html, failures) = try await inlined(page + Self.filled(#"<img src="{a}">"#))
    #expect(html == page + #"<img src="[a]">"#)
    #expect(Set(failures.map(\.absoluteString)) == ["http://nowhere/x.webp", "http://nowhere/x.css"])
  }

  /// However a page from elsewhere names a file of this machine's: it is not read.
  @Test(arguments: ["", #"<base href="file:///srv/">"#])
  func filesAreForFilesAlone(base: String) async throws {
    let (image, sheet) = ("file:///srv/x.webp", "file:///srv/x.css")
    let files = ["http://site/a.css": "a{background:url(FILE:///srv/y.webp)}", sheet: Self.filled("a{src:url({a})}")]
    let page =
      base + #"<img src="\#(image)"><img src="/\#(base.isEmpty ? "a.png" : "srv/z.webp")"><link rel=stylesheet "#
      + #"href="\#(sheet)"><link rel=stylesheet href="http://site/a.css">"#
    let read = Names()
    let inliner = WebP.HTMLInliner { url in
      await read.add(url.absoluteString)
      if let css = files[url.absoluteString] { return Data(css.utf8) }
      return try Fixtures.bytes("encoder-cwebp-q75.webp")
    }
    let remote = await inliner.inline(Data(page.utf8), at: URL(string: "https://site/")!)
    #expect(remote.html == Data(page.utf8))
    #expect(await read.all == ["http://site/a.css"])
    #expect(remote.failures.keys.contains { $0.absoluteString == image })
    #expect(remote.failures.keys.contains { $0.absoluteString == sheet })
    #expect(remote.failures.values.allSatisfy { ($0 as? URLError)?.code == .noPermissionsToReadFile })

    let local = await inliner.inline(Data(page.utf8), at: URL(string: "file:///srv/page.html")!)
    #expect(local.inlined.contains { $0.absoluteString == image })
    #expect(await read.all.contains(sheet))
    #expect(await !read.all.contains { $0.hasSuffix("y.webp") })
  }

  private actor Names {
    var all: Set<String> = []
    func add(_ name: String) { all.insert(name) }
  }

  /// The server waits in the middle of what is too long, and would for ever.
  @Test(.timeLimit(.minutes(5))) func bodiesAreBounded() async throws {
    let exchange = Exchange("encoder-cwebp-q75.webp", ["hold": "400"])
    var inliner = WebP.HTMLInliner()
    inliner.conversion.limits.maximumBytes = 300
    let page = Data(#"<img src="\#(exchange.url.absoluteString)">"#.utf8)
    let result = await inliner.inline(page, at: URL(string: "http://site/")!)
    #expect(result.html == page)
    #expect(result.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])
    _ = try await exchange.wait { $0.first?.aborted == true }

    let file = Fixtures.folders[1].appendingPathComponent("encoder-cwebp-q75.webp")
    let local = await inliner.inline(Data(#"<img src="\#(file.lastPathComponent)">"#.utf8), at: file)
    #expect(local.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])
  }

  /// In proportion to its square, the time for this tag would be hours.
  @Test(.timeLimit(.minutes(5))) func tagsMayHaveAnyNumberOfAttributes() async throws {
    let attributes = (0..<200_000).map { " a\($0)=1" }.joined()
    let (html, _) = try await inlined("<img\(attributes) src='\(Self.filled("{a}"))' src=b.webp>")
    #expect(html == "<img\(attributes) src=\"[a]\" src=b.webp>")
  }

  @Test func bytesInOtherEncodingsStay() async throws {
    let latin1 = Data([0x3C, 0x70, 0x3E, 0xE9, 0xFF]) + Data(#"<img alt=""#.utf8) + Data([0xE9]) + Data(#"">"#.utf8)
    let result = await WebP.HTMLInliner().inline(latin1, at: URL(string: "http://127.0.0.1:1/")!)
    #expect(result.html == latin1)
  }

  @Test func damagedPagesNeverTrap() async throws {
    let page = Array(
      Self.filled(
        #"<base href=/x><img srcset="{a} 2x, {b}" src='{c}' style="background:url('\41 {a}')"><style>a{b:url({a}) image-set("{b}" type("image/webp"))}</style><link rel=stylesheet href=a.css><!-- x -->&amp;<script>'</script>"#
      ).utf8)
    var random = SystemRandomNumberGenerator()
    let base = URL(string: "http://site/")!
    let replacements = PageReplacements(base: base, image: { _ in "new" }, styleSheet: { _ in "sheet" })
    for _ in 0..<3000 {
      var bytes = page
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = Array("<>\"'=()\\/,!-& \n".utf8).randomElement(using: &random)!
        case 1: bytes.removeSubrange(place..<min(bytes.count, place + 4))
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = [60] }
      }
      let rewritten = HTMLRewriter.rewrite(bytes, replacements)
      let untouched = HTMLRewriter.rewrite(
        bytes, PageReplacements(base: base, image: { _ in nil }, styleSheet: { _ in nil }))
      #expect(untouched == bytes)
      #expect(rewritten.count > 0)
    }
  }
}
