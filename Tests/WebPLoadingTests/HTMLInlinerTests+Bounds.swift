// References that are not inlined, and pages that are malformed.

import ConformanceGenerator
import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPPages

extension HTMLInlinerTests {
  /// A small page may refer to an image or a style sheet many times.
  @Test func inlinedBytesAreBounded() async throws {
    let css = Self.filled("a{b:url({a});c:url(c.png)}")
    let inliner = { (maximum: Int) in
      var inliner = WebP.HTMLInliner { url in
        (url.pathExtension == "css" ? Data(css.utf8) : try Fixtures.bytes(url.lastPathComponent), url)
      }
      inliner.maximumInlinedBytes = maximum
      return inliner
    }
    let site = URL(string: "http://site/")!
    let (image, link) = (Self.filled("<img src={a}>"), "<link rel=stylesheet href=a.css>")
    let (one, all) = (await inliner(1 << 20).inline(Data(image.utf8), at: site), 1 << 30)
    for (tag, url) in [(image, Self.filled("http://site/{a}")), (link, "http://site/a.css")] {
      let page = Data(String(repeating: tag, count: 100).utf8)
      let whole = await inliner(all).inline(page, at: site)
      #expect(whole.failures.isEmpty && whole.html.count > 100 * (one.html.count - image.utf8.count))
      let result = await inliner(100_000).inline(page, at: site)
      #expect((page.count + 50_000...page.count + 100_000).contains(result.html.count))
      #expect(result.html.suffix(tag.utf8.count) == Data(tag.utf8))
      #expect(result.inlined.count == 1)
      #expect((result.failures[URL(string: url)!] as? URLError)?.code == .dataLengthExceedsMaximum)
      // The maximum is too small for a single copy.
      let nothing = await inliner(css.utf8.count - 1).inline(page, at: site)
      #expect(nothing.html == page && nothing.inlined.isEmpty && nothing.failures.count == 1)
    }
  }

  /// Each image has 67 × 45 pixels. The limits allow the pixels of `free` images, at least of one, and `perByte` pixels
  /// for each byte of the page and of the files.
  @Test(arguments: [(2, 0, 2), (0, 1 << 20, 5), (1, 0, 1), (5, 0, 5)])
  func imagesShareThePixelBudgetOfThePage(free: Int, perByte: Int, count: Int) async throws {
    let picture = try Fixtures.bytes("encoder-cwebp-q75.webp")
    var inliner = WebP.HTMLInliner { (picture, $0) }
    inliner.conversion.limits.unrestrictedPixels = max(1, free) * 67 * 45
    inliner.conversion.limits.maximumPixelsPerByte = perByte
    let names = (0..<5).map { "http://a/\($0).webp" }
    let page = Data(names.map { "<img src='\($0)'>" }.joined().utf8)
    let result = await inliner.inline(page, at: try #require(URL(string: "http://a/")))
    #expect(result.inlined == Set(names.prefix(count).compactMap(URL.init)))
    #expect(result.failures.count == 5 - count)
    #expect(result.failures.values.allSatisfy { ($0 as? URLError)?.code == .dataLengthExceedsMaximum })
  }

  /// Animations of 256 × 256 pixels whose frames have one pixel. The limits allow three canvases. Each frame counts as
  /// a canvas, because it is composed on one.
  @Test(arguments: [(images: 1, frames: 3, inlined: 1), (1, 4, 0), (5, 1, 3), (2, 2, 1)])
  func animationsCountTheirCanvasForEachFrame(images: Int, frames: Int, inlined: Int) async throws {
    let side = 256
    let webP = Data(Self.animation(side: side, frames: frames))
    var inliner = WebP.HTMLInliner { (webP, $0) }
    inliner.conversion.limits.unrestrictedPixels = 3 * side * side
    inliner.conversion.limits.maximumPixelsPerByte = 0
    let page = Data((0..<images).map { "<img src=\($0).webp>" }.joined().utf8)
    let result = await inliner.inline(page, at: try #require(URL(string: "http://site/")))
    #expect(result.inlined.count == inlined)
    #expect(result.failures.count == images - inlined)
    #expect(result.failures.values.allSatisfy { ($0 as? URLError)?.code == .dataLengthExceedsMaximum })
  }

  /// Returns an animation whose frames have one pixel.
  private static func animation(side: Int, frames: Int) -> [UInt8] {
    let pixel: [UInt8] = [0x2F, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07]
    let frame = FileWriter.chunk(
      "ANMF", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 2] + FileWriter.chunk("VP8L", pixel))
    return FileWriter.riff(
      FileWriter.vp8X(flags: 0b1_0010, width: side, height: side),
      FileWriter.chunk("ANIM", [UInt8](repeating: 0, count: 6)), Array(repeatElement(frame, count: frames).joined()))
  }

  @Test func contentsMayReachTheMaximum() async throws {
    var inliner = WebP.HTMLInliner { (try Fixtures.bytes($0.lastPathComponent), $0) }
    let (page, site) = (Data(Self.filled("<img src={a}>").utf8), URL(string: "http://site/")!)
    let whole = await inliner.inline(page, at: site).html
    inliner.maximumInlinedBytes = whole.count - "<img src=>".utf8.count
    #expect(await inliner.inline(page, at: site).html == whole)
    inliner.maximumInlinedBytes -= 1
    #expect(await inliner.inline(page, at: site).html == page)
  }

  /// References that are not replaced do not count toward the maximum.
  @Test func unreplacedSourcesDoNotCountTowardTheMaximum() async throws {
    var inliner = WebP.HTMLInliner { (try Fixtures.bytes($0.lastPathComponent), $0) }
    let site = try #require(URL(string: "http://site/"))
    let source = Data(Self.filled("<source type=image/webp srcset='{a}, missing.webp 2x'>").utf8)
    let image = Data(Self.filled("<img src={a}>").utf8)
    let one = await inliner.inline(image, at: site).html
    inliner.maximumInlinedBytes = one.count
    for (last, expected) in [(image, one), (Data(), Data())] {
      let result = await inliner.inline(source + last, at: site)
      #expect(result.html == source + expected && result.inlined.count == (last.isEmpty ? 0 : 1))
      #expect(result.failures.keys.map(\.lastPathComponent) == ["missing.webp"])
    }
  }

  /// Each reference that becomes absolute grows by the length of the style sheet's URL. Without a bound, a page could
  /// become many times as long.
  @Test func absoluteReferencesAreBounded() async throws {
    let css = Self.filled("a{b:url({a})}") + String(repeating: "url(c)", count: 1000)
    let inliner = WebP.HTMLInliner { url in
      (url.pathExtension == "css" ? Data(css.utf8) : try Fixtures.bytes(url.lastPathComponent), url)
    }
    var bounded = inliner
    bounded.maximumInlinedBytes = 1_000_000
    let page = Data("<link rel=stylesheet href=/\(String(repeating: "d", count: 2000))/a.css>".utf8)
    let site = URL(string: "http://site/")!
    #expect(await inliner.inline(page, at: site).html.count > 2_000_000)
    let result = await bounded.inline(page, at: site)
    #expect(result.html == page && result.inlined.isEmpty && result.failures.count == 1)
  }

  /// Browsers accept Base64 with or without padding (Infra Standard, section 7).
  @Test(arguments: [0, 1, 2]) func dataURLsMayOmitPadding(padding: Int) async throws {
    let webP = try Fixtures.bytes(Self.pictures["a"]!)
    // Bytes after the image are ignored.
    let text = (webP + Data(count: (6 - webP.count % 3 - padding) % 3)).base64EncodedString()
    #expect(text.count { $0 == "=" } == padding)
    for text in [text, text.replacingOccurrences(of: "=", with: ""), text + "#a"] {
      for start in ["data:image/webp;base64,", "DATA:Image/WebP;Base64,"] {
        #expect(try await inlined("<img src='\(start)\(text)'>").html == "<img src='[a]'>")
      }
    }
  }

  @Test func failedReferencesAreUnchanged() async throws {
    let page = #"<img src="http://nowhere/x.webp"><link rel=stylesheet href="http://nowhere/x.css">"#
    let (html, failures) = try await inlined(page + Self.filled(#"<img src="{a}">"#))
    #expect(html == page + #"<img src="[a]">"#)
    #expect(Set(failures.map(\.absoluteString)) == ["http://nowhere/x.webp", "http://nowhere/x.css"])
  }

  /// A page from a server cannot cause local files to be read, however it refers to them.
  @Test(arguments: ["", #"<base href="file:///srv/">"#])
  func onlyLocalPagesMayReferToFiles(base: String) async throws {
    let (image, sheet) = ("file:///srv/x.webp", "file:///srv/x.css")
    let moved = "http://site/moved.css"
    let files = [
      "http://site/a.css": "a{background:url(FILE:///srv/y.webp)}", sheet: Self.filled("a{src:url({a})}"),
      moved: "a{b:url(y.webp)}",
    ]
    let page =
      base + #"<img src="\#(image)"><img src="/\#(base.isEmpty ? "a.png" : "srv/z.webp")"><link rel=stylesheet "#
      + #"href="\#(sheet)"><link rel=stylesheet href="http://site/a.css"><link rel=stylesheet href="\#(moved)">"#
    let read = Names()
    let inliner = WebP.HTMLInliner { url in
      await read.add(url.absoluteString)
      // A server may claim that the URL of its response is a file.
      let place = url.absoluteString == moved ? URL(string: sheet)! : url
      if let css = files[url.absoluteString] { return (Data(css.utf8), place) }
      return (try Fixtures.bytes("encoder-cwebp-q75.webp"), url)
    }
    let remote = await inliner.inline(Data(page.utf8), at: URL(string: "https://site/")!)
    #expect(remote.html == Data(page.utf8))
    #expect(await read.all == ["http://site/a.css", moved])
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

  @Test func bodiesAreBounded() async throws {
    let exchange = Exchange.trickle()
    var inliner = WebP.HTMLInliner()
    inliner.conversion.limits.maximumBytes = 300
    let page = Data(#"<img src="\#(exchange.url.absoluteString)">"#.utf8)
    let result = await inliner.inline(page, at: URL(string: "http://site/")!)
    #expect(result.html == page)
    #expect(result.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])
    #expect(try await exchange.wait { $0.first?.done == true }.first?.aborted == true)

    let file = Fixtures.folders[1].appendingPathComponent("encoder-cwebp-q75.webp")
    let local = await inliner.inline(Data(#"<img src="\#(file.lastPathComponent)">"#.utf8), at: file)
    #expect(local.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])

    // A style sheet from a custom loader. The spaces after its image exceed the limit.
    let css = Self.filled("a{b:url({a})}") + String(repeating: " ", count: 10_000)
    var own = WebP.HTMLInliner { url in
      (url.pathExtension == "css" ? Data(css.utf8) : try Fixtures.bytes(url.lastPathComponent), url)
    }
    own.conversion.limits.maximumBytes = 9_000
    for sheet in ["a.css", "data:text/css;base64,\(Data(css.utf8).base64EncodedString())"] {
      let link = Data("<link rel=stylesheet href='\(sheet)'>".utf8)
      let result = await own.inline(link, at: URL(string: "http://site/")!)
      #expect(result.html == link)
      #expect(result.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])
    }
  }

  /// An algorithm with quadratic time would take minutes for this tag.
  @Test func tagsMayHaveAnyNumberOfAttributes() async throws {
    let attributes = (0..<10_000).map { " a\($0)=1" }.joined()
    let (html, _) = try await inlined("<img\(attributes) src='\(Self.filled("{a}"))' src=b.webp>")
    #expect(html == "<img\(attributes) src='[a]' src=b.webp>")
  }

  /// An algorithm with quadratic time would take many seconds for each of these names.
  @Test(arguments: [
    "<%>", "<img % src='{a}'>", "<img %=1 src='{a}'>", "<link rel='icon %' href='{a}'>",
    "<link rel=stylesheet type='%' href=a.css>", "<img src='{a}' type='%'>", "<style>@% a{%:%({a})}</style>",
    "<style>a{b:image-set('{a}' type('%'))}</style>", "<img src='%.png'>", "<style>a{b:url(%.png)}</style>",
  ])
  func namesMayConsistOfCombiningMarks(page: String) async throws {
    let marks = String(repeating: "\u{323}\u{301}", count: 20_000)
    let (html, failures) = try await inlined(Self.filled(page).replacingOccurrences(of: "%", with: marks))
    let plain = try await inlined(Self.filled(page).replacingOccurrences(of: "%", with: "x"))
    #expect(failures.isEmpty && html.utf8.elementsEqual(plain.html.replacingOccurrences(of: "x", with: marks).utf8))
  }

  /// Each resolved reference would be at least as long as the base. Therefore bases of more than 4096 bytes are not
  /// used.
  @Test func longBasesAreNotResolved() async throws {
    func page(_ length: Int) -> String {
      let base = "http://site/"
      return Self.filled("<base href='\(base + String(repeating: "d", count: length - base.utf8.count - 1))/'>")
        + Self.filled("<img src={a}><img src=/{b}><img src=http://site/{c}>")
    }
    #expect(try await inlined(page(4096)).html.hasSuffix("<img src=[a]><img src=[b]><img src=[c]>"))
    let (html, failures) = try await inlined(page(4097))
    #expect(html.hasSuffix(Self.filled("<img src={a}><img src=/{b}><img src=[c]>")) && failures.isEmpty)
  }

  @Test func sheetsWithLongAddressesAreUnchanged() async throws {
    let (sheet, other) = ("http://site/?" + String(repeating: "d", count: 4083), "http://site/" + Self.filled("{a}"))
    for length in [4096, 4097] {
      let url = sheet.padding(toLength: length, withPad: "d", startingAt: 0)
      let link = "<link rel=stylesheet href='\(url)'>"
      let (html, failures) = try await inlined(link, files: [url: "a{b:url(\(other))}"])
      #expect(length == 4096 ? html == "<style>a{b:url(\"[a]\")}</style>" : html == link && failures.count == 1)
    }
  }

  /// References relative to a data URL are invalid (URL Standard, section 4.4). Resolving each of them would read the
  /// complete sheet: 400 megabytes.
  @Test func dataURLsAreNotBases() async throws {
    let css = "a{b:url(http://site/\(Self.filled("{a}")))}" + String(repeating: "a{b:url(c.png)}", count: 5000)
    let (html, failures) = try await inlined("<link rel=stylesheet href='data:text/css,\(css)'>")
    #expect(failures.isEmpty && html.hasPrefix("<style>a{b:url(\"[a]\")}a{b:url(\"data:"))
    #expect(html.utf8.count < 350_000)
  }

  @Test func bytesInOtherEncodingsAreUnchanged() async throws {
    let latin1 = Data([0x3C, 0x70, 0x3E, 0xE9, 0xFF]) + Data(#"<img alt=""#.utf8) + Data([0xE9]) + Data(#"">"#.utf8)
    let result = await WebP.HTMLInliner().inline(latin1, at: URL(string: "http://127.0.0.1:1/")!)
    #expect(result.html == latin1)
  }

  @Test func corruptPagesNeverTrap() async throws {
    let page = Array(
      Self.filled(
        #"<base href=/x><img srcset="{a} 2x, {b}" src='{c}' style="background:url('\41 {a}')">"#
          + #"<style>a{b:url({a}) image-set("{b}" type("image/webp"))}</style>"#
          + "<link rel=stylesheet href=a.css><!-- x -->&amp;<script>'</script>"
      ).utf8)
    var random = SplitMix64(seed: 8)
    let base = URL(string: "http://site/")!
    let replacements = PageReplacements(base: base, image: { _ in "new" }, styleSheet: { _ in "sheet" })
    for _ in 0..<1000 {
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
