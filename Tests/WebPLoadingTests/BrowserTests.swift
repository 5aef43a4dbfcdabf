import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

/// Proves that pages look the same after the bridge has replaced their images.
/// Expected values: Chromium's screenshot of the original page. The replaced page has no access to WebP files.
@Suite(.enabled(if: Chromium.isWanted, "BROWSER_TESTS is not set"), .serialized) struct BrowserTests {
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
    <p>Words, <img src="\(names[0])">, more words <img src='\(names[1])' width=134> and
    <img src=\(names[2]) height="20">.
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
        const wait = time => new Promise(done => setTimeout(done, time))
        while (window.waiting) await wait(100)
        await wait(300)  // the last images are being shown
        const images = [...document.images].filter(image => image.id !== 'last')
        await Promise.allSettled(images.map(image => image.decode()))
        document.body.dataset.late = window.measured?.()
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

  /// Returns the bridge script, and a script that replaces WKWebView: it forwards requests, and runs the answers.
  ///
  /// - Parameters:
  ///   - extra: a script that runs first. It can define `post`, which receives the requests.
  ///   - delay: the milliseconds before the source of an image, after its size.
  private static func bridge(
    _ pictures: Pictures, fade: TimeInterval = 0.05, delay: Int = 100, extra: String = "const post = reply"
  ) async throws -> String {
    let session = Upstream(.patient, keepsURLCache: true)
    let request = try #require(PageRequest(["page": "PAGE", "id": 0, "url": "http://a/"]))
    var answers: [String: [String]] = [:]
    for name in pictures.names {
      answers[name] = await PageImage.answers(Exchange.url(name), session).map { $0.script(for: request) }
    }
    let size = "PureWebPBridge.answer(\"PAGE\", 0, 'size', 67, 45)"
    #expect(answers.values.allSatisfy { $0.count == 2 && $0[0] == size })
    return """
      <script>const answers = \(String(decoding: try JSONEncoder().encode(answers), as: UTF8.self))
      var waiting = 0
      const reply = async ({ page, id, url }) => {
        waiting++
        PureWebPBridge.answer('another page', id, 'source', 'data:image/svg+xml;base64,')
        const missing = "PureWebPBridge.answer('PAGE', 0, 'failure', 'missing')"
        for (const answer of answers[url.split('/').pop()] || [missing]) {
          await new Promise(done => setTimeout(done, answer.includes('size') ? 10 : \(delay)))
          eval(answer.replace('PAGE', page).replace(', 0', ', ' + id))
        }
        waiting--
      }
      \(extra)
      window.webkit = { messageHandlers: { pureWebP: { postMessage: message => post(message) } } };
      \(PageScript.source(handler: "pureWebP", fade: fade))</script>
      """
  }

  /// The style sheet, without the images.
  private static func styleOnly(_ pictures: Pictures) -> [String: Data] {
    ["style.css": Data(style(pictures.names).utf8)]
  }

  /// A page that the user has left receives no answers. When it is shown again, it counts as a new page and requests
  /// all images again.
  @Test(arguments: [Pictures.opaque, .transparent], [false, true])
  func bridgedPagesLookTheSame(pictures: Pictures, isLeft: Bool) async throws {
    let leaving = """
      let isLeft = \(isLeft)
      const left = new Set()
      const post = message => {
        if (isLeft) left.add(message.page)
        else if (!left.has(message.page)) reply(message)
      }
      if (isLeft) setTimeout(() => {
        isLeft = false
        dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
      }, 300)
      """
    let head = try await Self.bridge(pictures, extra: leaving)
    let page = Self.page(pictures.names)
    let before = try await Site(page, Self.webPs(pictures)).screenshot()
    let bridged = try Site(Self.page(pictures.names, head: head), Self.styleOnly(pictures))
    let after = try await bridged.screenshot()
    let difference =
      before.pixels == after.pixels
      ? 0 : zip(before.pixels, after.pixels).map { (a, b) -> Int in abs(Int(a) - Int(b)) }.max() ?? 0
    #expect(difference <= pictures.tolerance)
    #expect(before.height == after.height)
    // The screenshot shows the images: without them, the page looks different.
    #expect(try await Site(page, [:]).screenshot().reference != before.reference)
  }

  @Test func layoutIsStableWhileImagesLoad() async throws {
    // Records the positions of all elements, first with empty images, then with the PNGs.
    let measure = """
      <script>
      window.measured = () => JSON.stringify([...document.querySelectorAll('img:not(#last), p, div')].map(element => {
        const box = element.getBoundingClientRect()
        return [box.x, box.y, box.width, box.height]
      }))
      setTimeout(() => { document.body.dataset.early = measured() }, 1200)
      </script>
      """
    let names = Pictures.opaque.names
    let plain = try Site(Self.page(names, extra: measure), Self.webPs(.opaque))
    let head = try await Self.bridge(.opaque, delay: 2500)
    let scripted = try Site(Self.page(names, head: head, extra: measure), Self.styleOnly(.opaque))
    func boxes(_ name: String, _ dom: String) throws -> Substring {
      try dom[#require(dom.range(of: "data-\(name)=\"")).upperBound...].prefix { $0 != "\"" }
    }
    let late = try boxes("late", await plain.dom())
    #expect(late.count > 200)
    let dom = try await scripted.dom()
    #expect(try boxes("early", dom) == late)
    #expect(try boxes("late", dom) == late)
  }

  /// Counts the animations, one for each replaced image, and inspects the first one while it runs. Empty images do not
  /// fade in. The page gets one `load` event for each image.
  @Test(arguments: [false, true]) func imagesFadeInUnlessMotionIsReduced(isReduced: Bool) async throws {
    let names = Pictures.opaque.names
    let watch = """
      <script>
      const animate = Element.prototype.animate
      let [fades, loads, isSeen] = [0, 0, false]
      Element.prototype.animate = function (...list) {
        fades++
        return animate.apply(this, list)
      }
      setInterval(() => {
        const opacity = getComputedStyle(document.images[0]).opacity
        isSeen ||= 0 < opacity && opacity < 1
      }, 10)
      window.measured = () => [fades, loads, isSeen]
      </script>
      """
    let images = names.map { "<img onload='loads++' src=\"\($0)\">" }.joined()
    let head = try await Self.bridge(.opaque, fade: 1)
    let dom = try await Site("<!doctype html><body>\(watch)\(head)\(images)\(Self.ending)", Self.styleOnly(.opaque))
      .dom(isReduced ? ["--force-prefers-reduced-motion"] : [])
    let count = names.count
    #expect(dom.contains(isReduced ? "data-late=\"0,\(count),false\"" : "data-late=\"\(count),\(count),true\""))
    #expect(dom.contains(" src=\"blob:"))
  }

  /// A page whose policy forbids object URLs gets data URLs.
  @Test(arguments: ["data:", "blob:"]) func policiesSelectTheKindOfURL(kind: String) async throws {
    let head = try await Self.bridge(.opaque)
    let policy = #"<meta http-equiv="Content-Security-Policy" content="img-src 'self' \#(kind)">"#
    let page = """
      <!doctype html>\(policy)<body>\(head)<img src="\(Pictures.opaque.names[0])">
      <script>window.measured = () => document.images[0].naturalWidth</script>\(Self.ending)
      """
    let dom = try await Site(page, Self.styleOnly(.opaque)).dom()
    #expect(dom.contains("<img src=\"\(kind)"))
    #expect(dom.contains("data-late=\"67\""))
  }

  /// Images that cannot be converted keep their attributes, and the page gets one `error` event for each.
  @Test func failuresLeaveThePageUnchanged() async throws {
    let head = try await Self.bridge(.opaque)
    let page = """
      <!doctype html><body>\(head)<script>let errors = 0; window.measured = () => errors</script>
      <img onerror='errors++' src="missing.webp"><img onerror='errors++' src="other.png">\(Self.ending)
      """
    let dom = try await Site(page, ["style.css": Data()]).dom()
    #expect(dom.contains("src=\"missing.webp\"") && dom.contains("src=\"other.png\""))
    #expect(dom.contains("data-late=\"2\""))
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
      <!doctype html><body>\(try await Self.bridge(.opaque, extra: "const post = () => {}"))<script>
      const start = performance.now()
      for (const { name, srcset, style } of [\(texts)]) {
        const image = document.body.appendChild(document.createElement('img'))
        if (srcset) image.srcset = srcset
        if (style) image.style.setProperty('--a', style + ')'.repeat(style.split('(').length))
      }
      window.measured = () => performance.now() - start
      </script>\(Self.ending)
      """
    let dom = try await Site(page, ["style.css": Data()]).dom()
    let took = try #require(dom.range(of: "data-late=\""))
    #expect(try #require(Double(dom[took.upperBound...].prefix { $0 != "\"" })) < 8000)
  }
}
