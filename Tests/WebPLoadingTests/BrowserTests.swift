import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

/// Proves that pages look the same after their images are replaced.
/// Expected values: Chromium's screenshot of the original page. The replaced page has no access to WebP files.
@Suite(.enabled(if: Chromium.isWanted), .serialized) struct BrowserTests {
  /// Six images of 67 × 45 pixels.
  struct Pictures: Sendable {
    let names: [String]
    /// The largest permitted difference of a channel. Chromium multiplies colors by alpha differently for WebP and PNG.
    let tolerance: Int

    static let opaque = Pictures(
      names: [
        "encoder-cwebp-q75.webp", "encoder-cwebp-lossless-z6.webp", "encoder-cwebp-segments-1.webp",
        "encoder-cwebp-near-lossless.webp", "encoder-cwebp-q0.webp", "encoder-pillow-lossy.webp",
      ], tolerance: 0)
    static let transparent = Pictures(
      names: [
        "encoder-cwebp-alpha-best.webp", "encoder-pillow-lossless.webp", "encoder-cwebp-lossless-z6-alpha.webp",
        "encoder-cwebp-alpha-q20.webp", "encoder-pillow-lossy-alpha.webp", "encoder-cwebp-alpha-raw.webp",
      ], tolerance: 2)
  }

  /// - Parameter extra: HTML that is appended to the body.
  private static func page(_ names: [String], head: String = "", extra: String = "") -> String {
    """
    <!doctype html><meta charset=utf-8><link rel=stylesheet href=style.css>
    <style>.c { background: url("\(names[4])") repeat-x; width: 300px; height: 60px }
    body { background: #ccd } img { margin: 3px }</style>\(head)
    <p>Words, <img src="\(names[0])">, more words <img src='\(names[1])' width=134> and <img src=\(names[2]) height="20">.
    <p><img src="\(names[0])" srcset="\(names[1]) 1x"><img srcset="\(names[3]) 134w" sizes="134px">
    <p><picture><source media="(max-width: 10px)" srcset="\(names[4])" type="image/webp">
    <source media="(min-width: 10px)" srcset="\(names[5])" type="image/webp"><img src="\(names[0])"></picture>
    <div class=a></div><div class=c></div>
    <div style="background-image: url(\(names[2])); width: 200px; height: 90px"></div>
    <svg width=100 height=50><image href="\(names[1])" width=67 height=45 /></svg>
    <p>The end.\(extra)\(ending)
    """
  }

  /// Delays the load event of the page until all images are replaced: until then, the server does not respond to the
  /// request for the last image.
  private static var ending: String {
    let id = UUID().uuidString
    return """
      <img id=last hidden src="style.css?hold=-1&id=\(id)"><script>
      setTimeout(async () => {
        await window.PureWebP?.idle()
        const images = [...document.images].filter(image => image.id !== 'last')
        await Promise.allSettled(images.map(image => image.decode()))
        document.body.dataset.late = window.boxes?.()
        document.body.dataset.idle = document.getAnimations().length
        setTimeout(() => fetch('/_go?id=\(id)'), 200)
      }, 1500)</script>
      """
  }

  private static func style(_ names: [String]) -> String {
    """
    .a { background-image: linear-gradient(#fff8, #0008), url(\(names[1])); height: 50px }
    @media screen { .a { width: 200px } .b { background: url('\(names[3])'); height: 45px } }
    """
  }

  /// A page and the files next to it, and a server for them.
  private final class Site {
    let page: URL
    private let server: TestServer
    private let folder = TemporaryFolder.place()

    init(_ html: String, _ files: [String: Data]) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(html.utf8).write(to: folder.appendingPathComponent("page.html"))
      for (name, data) in files { try data.write(to: folder.appendingPathComponent(name)) }
      server = TestServer([folder])
      page = URL(string: "http://127.0.0.1:\(server.port)/page.html")!
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func screenshot() async throws -> PNGReader { try await Chromium.screenshot(of: page) }
    func dom(_ arguments: [String] = []) async throws -> String { try await Chromium.dom(of: page, arguments) }
  }

  private static func webPs(_ pictures: Pictures) throws -> [String: Data] {
    var files = ["style.css": Data(style(pictures.names).utf8)]
    for name in pictures.names { files[name] = try Fixtures.bytes(name) }
    return files
  }

  /// The images as PNG files, named `….webp.png`.
  private static func pngs(_ pictures: Pictures) throws -> [String: Data] {
    var files = ["style.css": Data(style(pictures.names).utf8)]
    for name in pictures.names {
      let converter = WebP.PNGConverter()
      files[name + ".png"] = try converter.append(Fixtures.bytes(name)) + converter.finish()
    }
    return files
  }

  private static func script(fade: Int = 60, delay: Int = 0) -> String {
    """
    <script>\(WebP.PageScript.source)
    PureWebP.start({ fade: \(fade), load: async (url, size) => {
      size(67, 45)
      await new Promise(done => setTimeout(done, \(delay)))
      const response = await fetch(url + '.png')
      if (!response.ok) throw 'missing'
      return URL.createObjectURL(await response.blob())
    } })</script>
    """
  }

  /// - Returns: the screenshot of the original page.
  @discardableResult
  private func expectSame(
    _ pictures: Pictures, _ original: String, _ replaced: String, _ files: [String: Data],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> PNGReader {
    let before = try await Site(original, Self.webPs(pictures)).screenshot()
    let after = try await Site(replaced, files).screenshot()
    let difference =
      before.pixels == after.pixels
      ? 0 : zip(before.pixels, after.pixels).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
    #expect(difference <= pictures.tolerance, sourceLocation: sourceLocation)
    #expect(before.height == after.height, sourceLocation: sourceLocation)
    return before
  }

  @Test func inlinedPagesLookTheSame() async throws {
    for pictures in [Pictures.opaque, .transparent] {
      let page = Self.page(pictures.names)
      let site = try Site(page, Self.webPs(pictures))
      let result = await WebP.HTMLInliner().inline(Data(page.utf8), at: site.page)
      #expect(result.failures.isEmpty)
      #expect(result.inlined.count == pictures.names.count)
      let shown = try await expectSame(pictures, page, String(decoding: result.html, as: UTF8.self), [:])
      // The screenshot shows the images: without them, the page looks different.
      #expect(try await Site(page, [:]).screenshot().reference != shown.reference)
    }
  }

  @Test func scriptedPagesLookTheSame() async throws {
    for pictures in [Pictures.opaque, .transparent] {
      try await expectSame(
        pictures, Self.page(pictures.names), Self.page(pictures.names, head: Self.script()), Self.pngs(pictures))
    }
  }

  /// A script replaces WKWebView: it forwards messages, and runs the answers as scripts. A page that the user has left
  /// receives no answers. When it is shown again, it counts as a new page and requests all images again.
  @Test(arguments: [false, true]) func bridgedPagesLookTheSame(isLeft: Bool) async throws {
    let pictures = Pictures.opaque
    let session = UpstreamSession(.patient, keepsURLCache: true)
    let request = try #require(PageRequest(["page": "PAGE", "id": 0, "url": "http://a/"]))
    var answers: [String: [String]] = [:]
    for name in pictures.names {
      answers[name] = await PageImageLoad.answers(Exchange.url(name), session).map { $0.script(for: request) }
    }
    #expect(answers.values.allSatisfy { $0.count == 2 && $0[0] == "PureWebP.answer(\"PAGE\", 0, 'size', 67, 45)" })
    let head = """
      <script>const answers = \(String(decoding: try JSONEncoder().encode(answers), as: UTF8.self))
      const reply = async ({ page, id, url }) => {
        PureWebP.answer('another page', id, 'source', 'data:image/svg+xml,')
        for (const answer of answers[url.split('/').pop()]) {
          await new Promise(done => setTimeout(done, 100))
          eval(answer.replace('PAGE', page).replace(', 0', ', ' + id))
        }
      }
      let isLeft = \(isLeft)
      const left = new Set()
      const postMessage = message => {
        if (isLeft) left.add(message.page)
        else if (!left.has(message.page)) reply(message)
      }
      window.webkit = { messageHandlers: { bridge: { postMessage } } }
      if (isLeft) setTimeout(() => {
        isLeft = false
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
      }, 300)
      \(WebP.PageScript.source)
      \(WebP.PageScript.bridge("bridge", fadeMilliseconds: 50))</script>
      """
    var files = try Self.webPs(pictures)
    for name in pictures.names { files[name] = nil }
    try await expectSame(pictures, Self.page(pictures.names), Self.page(pictures.names, head: head), files)
  }

  @Test func imagesAddedLaterAreReplaced() async throws {
    let names = Pictures.opaque.names
    let later = """
      <script>setTimeout(() => {
        document.querySelector('p').insertAdjacentHTML(
          'afterend', '<constructor></constructor><p>New: <img src="\(names[5])"><img id=i>')
        document.querySelector('#i').srcset = '\(names[4])'
        document.querySelector('img').src = '\(names[3])'
        document.body.append(Object.assign(document.createElement('div'), { className: 'b' }))
        const style = document.createElement('style')
        style.textContent = '.b { border: 9px solid; border-image: url(\(names[0])) 9 }'
        document.head.append(style)
        document.querySelector('.a').style.background = 'url(\(names[0]))'
      }, 300)</script>
      """
    let shown = try await expectSame(
      .opaque, Self.page(names, extra: later), Self.page(names, head: Self.script(), extra: later), Self.pngs(.opaque))
    #expect(try await Site(Self.page(names), Self.webPs(.opaque)).screenshot().reference != shown.reference)
  }

  @Test func layoutIsStableWhileImagesLoad() async throws {
    // Records the positions of all elements, first with placeholders, then with the images.
    let measure = """
      <script>
      window.boxes = () => JSON.stringify([...document.querySelectorAll('img:not(#last), p, div')].map(element => {
        const box = element.getBoundingClientRect()
        return [box.x, box.y, box.width, box.height]
      }))
      setTimeout(() => { document.body.dataset.early = boxes() }, 900)
      </script>
      """
    let names = Pictures.opaque.names
    let plain = try Site(Self.page(names, extra: measure), Self.webPs(.opaque))
    let scripted = try Site(Self.page(names, head: Self.script(delay: 1800), extra: measure), Self.pngs(.opaque))
    func boxes(_ name: String, _ dom: String) throws -> Substring {
      try dom[#require(dom.range(of: "data-\(name)=\"")).upperBound...].prefix { $0 != "\"" }
    }
    let late = try boxes("late", await plain.dom())
    #expect(late.count > 200)
    let dom = try await scripted.dom()
    #expect(try boxes("early", dom) == late)
    #expect(try boxes("late", dom) == late)
    #expect(dom.contains("data-idle=\"0\""))
    #expect(!dom.contains("style=\"opacity"))
  }

  /// With an algorithm of quadratic or cubic time, these texts would take at least fifteen seconds.
  @Test func longTextsTakeLinearTime() async throws {
    let texts = """
      { srcset: 'a.webp 1x,' + ' '.repeat(3000), name: 'srcset' },
      { srcset: ','.repeat(300000) + 'a.webp' + ','.repeat(300000) + ' 1x', name: 'srcset' },
      { style: 'url(a.webp) ' + 'url('.repeat(40000), name: 'style' },
      { style: 'url(a.webp) url(' + ' '.repeat(40000), name: 'style' },
      """
    // A custom property stores any text unchanged.
    let page = """
      <!doctype html><body><script>\(WebP.PageScript.source)
      for (const { name, srcset, style } of [\(texts)]) {
        const image = document.body.appendChild(document.createElement('img'))
        if (srcset) image.srcset = srcset
        if (style) image.style.setProperty('--a', style + ')'.repeat(style.split('(').length))
      }
      const start = performance.now()
      PureWebP.start({ load: () => Promise.reject() })
      document.body.dataset.took = performance.now() - start
      </script>
      """
    let dom = try await Site(page, [:]).dom()
    let took = try #require(dom.range(of: "data-took=\""))
    #expect(try #require(Double(dom[took.upperBound...].prefix { $0 != "\"" })) < 1500)
  }

  /// The type of an image changes only if the image is replaced.
  @Test func typesInImageSetsFollowTheirImages() async throws {
    let sets = """
      image-set(url("a.webp") 1x type("image/webp"), url("b.webp") 2x type("image/webp"), url("c") 3x type("image/webp"))
      """
    let page = """
      <!doctype html><body><div style='--a: \(sets)'></div><script>\(WebP.PageScript.source)
      PureWebP.start({ load: async url => 'data:,' + url.slice(-6) })
      </script>\(Self.ending)
      """
    let dom = try await Site(page, ["style.css": Data()]).dom().replacingOccurrences(of: "&quot;", with: "\"")
    #expect(
      dom.contains(
        #"url("data:,a.webp") 1x type("image/png"), url("data:,b.webp") 2x type("image/png"), "#
          + #"url("c") 3x type("image/webp")"#))
  }

  /// Failures do not depend on the other images of the element or its siblings.
  @Test func failuresDoNotPreventOtherReplacements() async throws {
    let page = """
      <!doctype html><body>
      <img src="a.webp" srcset="a.webp 1x, missing.webp 2x,b.webp 3x">
      <picture><source type="image/webp" srcset="missing.webp?1"><source type="image/webp" srcset="b.webp">
      <source type="image/webp" srcset="a.webp, missing.webp?2 2x"><source type="image/webp" srcset="a.webp, b.png 2x">
      <source type="image/WebP" srcset="a.webp, b.webp 2x"><source srcset="a.webp, missing.webp?3 2x">
      <img alt="" src="missing.webp"></picture>
      <p style='--a: url("a.webp"), url(missing.webp), url("b.webp")'></p>
      <p style='--a: image-set(url("missing.webp") type("image/webp"), url("a.webp") type("image/webp"))'></p>
      <script>\(WebP.PageScript.source)
      PureWebP.start({ fade: 10, load: async (url, size) => {
        size(67, 45)
        await new Promise(done => setTimeout(done, 100))
        if (url.includes('missing')) throw 'missing'
        return `data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E#${url.slice(-6)}`
      } })
      </script>\(Self.ending)
      """
    let dom = try await Site(page, ["style.css": Data()]).dom().replacingOccurrences(of: "&quot;", with: "\"")
      .replacingOccurrences(of: "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E#", with: "data:,")
    for part in [
      #"<img src="data:,a.webp" srcset="data:,a.webp 1x, missing.webp 2x,data:,b.webp 3x">"#,
      #"<source type="image/webp" srcset="missing.webp?1"><source type="image/png" srcset="data:,b.webp">"#,
      #"<source type="image/webp" srcset="a.webp, missing.webp?2 2x">"#,
      #"<source type="image/webp" srcset="a.webp, b.png 2x">"#,
      #"<source type="image/png" srcset="data:,a.webp, data:,b.webp 2x">"#,
      #"<source srcset="data:,a.webp, missing.webp?3 2x">"#,
      #"<img alt="" src="missing.webp">"#,
      #"url("data:,a.webp"), url(missing.webp), url("data:,b.webp")"#,
      #"image-set(url("missing.webp") type("image/webp"), url("data:,a.webp") type("image/png"))"#,
      "data-idle=\"0\"",
    ] { #expect(dom.contains(part)) }
  }

  @Test func attributesOfImagesAreUnchanged() async throws {
    let names = Pictures.opaque.names
    let styles = [
      "opacity:.5;transition:opacity 9s", "transition-duration: 9s", "opacity: 0.25 !important;transition:none", "",
    ]
    let images = zip(names, styles).map { "<img style=\"\($1)\" src=\"\($0)\">" }.joined()
    let dom = try await Site(Self.page(names, head: Self.script(), extra: images), Self.pngs(.opaque)).dom()
    for style in styles { #expect(dom.contains("<img style=\"\(style)\" src=\"blob:")) }
    #expect(dom.contains("data-idle=\"0\""))
  }

  /// Counts the animations, one for each replaced image, and inspects the first one while it runs.
  @Test(arguments: [false, true]) func imagesFadeInUnlessMotionIsReduced(isReduced: Bool) async throws {
    let names = Pictures.opaque.names
    let watch = """
      <script>
      const animate = Element.prototype.animate
      let [fades, isSeen] = [0, false]
      Element.prototype.animate = function (...list) {
        fades++
        return animate.apply(this, list)
      }
      setInterval(() => {
        const opacity = getComputedStyle(document.images[0]).opacity
        isSeen ||= 0 < opacity && opacity < 1
      }, 10)
      window.boxes = () => [fades, isSeen]
      </script>
      """
    let images = names.map { "<img src=\"\($0)\">" }.joined()
    let page = "<!doctype html><body>\(images)\(watch)\(Self.script(fade: 1000))\(Self.ending)"
    let dom = try await Site(page, Self.pngs(.opaque)).dom(isReduced ? ["--force-prefers-reduced-motion"] : [])
    #expect(dom.contains(isReduced ? "data-late=\"0,false\"" : "data-late=\"\(names.count),true\""))
    #expect(dom.contains("<img src=\"blob:"))
  }

  /// The page's policy forbids the placeholders and the replacements, for every kind of URL.
  @Test(arguments: [
    "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='67'%20height='45'/%3E",
    "//127.0.0.1:1/refused.png",
  ])
  func imagesForbiddenByPolicyAreRestored(url: String) async throws {
    let (lossy, lossless) = (Pictures.opaque.names[0], Pictures.opaque.names[1])
    let page = """
      <!doctype html><meta http-equiv="Content-Security-Policy" content="img-src 'self'"><body>
      <img src="\(lossy)"><picture><source type="image/webp" srcset="\(lossless)"><img alt=""></picture>
      <script>\(WebP.PageScript.source)
      PureWebP.start({ fade: 10, load: async (url, size) => {
        size(67, 45)
        await new Promise(done => setTimeout(done, 100))
        return "\(url)"
      } })
      window.boxes = () => [...document.images].map(image => image.naturalWidth)
      </script>\(Self.ending)
      """
    let dom = try await Site(page, Self.webPs(.opaque)).dom()
    #expect(dom.contains("<img src=\"\(lossy)\">"))
    #expect(dom.contains("<source type=\"image/webp\" srcset=\"\(lossless)\">"))
    #expect(dom.contains("data-late=\"67,67,0\""))
    #expect(dom.contains("data-idle=\"0\""))
  }

  @Test func failuresLeaveThePageUnchanged() async throws {
    let names = Pictures.opaque.names
    let dom = try await Site(Self.page(names, head: Self.script()), [:]).dom()
    #expect(dom.contains("<img src=\"\(names[0])\">"))
    #expect(dom.contains("data-idle=\"0\""))
  }
}
