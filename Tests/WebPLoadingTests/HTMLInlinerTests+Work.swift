// Pages that cause more work than their contents are worth.

import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPPages

extension HTMLInlinerTests {
  private static let site = URL(string: "http://site/")!

  /// - Parameter load: returns the text of a style sheet or the bytes of an image.
  private func inliner(maximumBytes: Int, _ load: @escaping @Sendable (URL) async -> Data) -> WebP.HTMLInliner {
    var inliner = WebP.HTMLInliner { (await load($0), $0) }
    inliner.maximumInlinedBytes = maximumBytes
    return inliner
  }

  private func expectWorkEnded(_ result: WebP.HTMLInliner.Page, _ page: Data) {
    #expect(result.html == page && result.inlined.isEmpty)
    #expect((result.failures[Self.site] as? URLError)?.localizedDescription.contains("maximumInlinedBytes") == true)
  }

  /// Each import has 40 kB of text that becomes 20 MB. That never fits, so the text is discarded each time.
  @Test func discardedTextCounts() async throws {
    let base = "http://site/" + String(repeating: "d", count: 4000) + "/"
    let sheets = [
      base + "a.css": (0..<90).map { "@import 'b.css?\($0)';" }.joined(),
      base + "b.css": "a{b:url(x.webp)}" + String(repeating: "url(c)", count: 5000),
    ]
    let read = Counter()
    let inliner = inliner(maximumBytes: 1 << 20) { url in
      read.add()
      return Data((sheets[url.absoluteString.components(separatedBy: "?")[0]] ?? "").utf8)
    }
    let page = Data("<link rel=stylesheet href='\(base)a.css'>".utf8)
    expectWorkEnded(await inliner.inline(page, at: Self.site), page)
    #expect(read.count <= 7)
  }

  /// Each resolved reference is as long as the base.
  @Test func resolvedReferencesCount() async throws {
    let read = Counter()
    let inliner = inliner(maximumBytes: 1 << 20) { _ in
      read.add()
      return Data()
    }
    let page = Data(
      ("<base href='http://site/\(String(repeating: "d", count: 4000))/'>"
        + (0..<10_000).map { "<img src=\($0).webp>" }.joined()).utf8)
    expectWorkEnded(await inliner.inline(page, at: Self.site), page)
    #expect(read.count < 2000)
  }

  /// 100 files of 4 MB that are no images.
  @Test func filesThatAreNotUsedCount() async throws {
    let read = Counter()
    let inliner = inliner(maximumBytes: 1 << 20) { _ in
      read.add()
      return Data(count: 4 << 20)
    }
    let page = Data((0..<100).map { "<img src=\($0).webp>" }.joined().utf8)
    expectWorkEnded(await inliner.inline(page, at: Self.site), page)
    #expect(read.count < 12)
  }

  /// A page that is canceled while it waits for one of its files reads no further ones.
  @Test func canceledPagesEnd() async throws {
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let read = Counter()
    let inliner = inliner(maximumBytes: 1 << 20) { _ in
      read.add()
      start.yield()
      while !Task.isCancelled { await Task.yield() }
      return Data("a{b:url(x.webp)}".utf8)
    }
    let page = Data("<link rel=stylesheet href=a.css>".utf8)
    let task = Task { await inliner.inline(page, at: Self.site) }
    for await _ in started { break }
    task.cancel()
    let result = await task.value
    #expect(result.html == page && read.count == 1)
    #expect(result.failures[Self.site] is CancellationError)
  }

  /// After a page was canceled, its remaining tags are not read.
  @Test func canceledPagesAreNotReadFurther() {
    let work = PageWork()
    var tags = 0
    let replacements = PageReplacements(
      base: Self.site, work: work, image: { _ in nil },
      counting: {
        tags += 1
        work.cancel()
        _ = $0()
      }, styleSheet: { _ in nil })
    let page = String(repeating: "<source type=image/webp srcset=a.webp>", count: 3)
    _ = HTMLRewriter.edits([UInt8](page.utf8), replacements)
    #expect(tags == 1)
  }
}
