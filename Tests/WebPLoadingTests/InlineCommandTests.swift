import Foundation
import PureWebP
import TestSupport
import Testing
import WebPLoading

/// Proves that the program webp-inline writes the same pages as `WebP.HTMLInliner`, and reports failures.
/// Expected values: the pages that the library writes.
@Suite struct InlineCommandTests {
  private let folder = TemporaryFolder.place()
  private let page = Data(#"<title>é</title><img src="encoder-cwebp-q75.webp"><img src="missing.webp">"#.utf8)

  private func expected(at url: URL) async -> Data { await WebP.HTMLInliner().inline(page, at: url).html }

  @Test func filesAndPipesAreInlined() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appendingPathComponent("page.html"), folder.appendingPathComponent("out.html"))
    try page.write(to: input)
    try Fixtures.bytes("encoder-cwebp-q75.webp").write(to: folder.appendingPathComponent("encoder-cwebp-q75.webp"))
    let expected = await expected(at: input)
    #expect(expected.count > page.count + 1000)

    let file = try await Programs.run("webp", ["inline", input.path, "-o", output.path])
    #expect(file.status == 0)
    #expect(try Data(contentsOf: output) == expected)
    #expect(file.errors.contains("missing.webp") && !file.errors.contains("q75"))

    let piped = try await Programs.run(
      "webp", ["inline", "-", "--base", input.path, "-q", "-o", "-"], input: page)
    #expect(piped.status == 0)
    #expect(piped.output == expected)
    #expect(piped.errors.isEmpty)
  }

  @Test func pagesOfServersAreInlined() async throws {
    let url = Exchange.url("page.html")
    let result = try await Programs.run("webp-inline", ["-", "--base", url.absoluteString, "-o", "-"], input: page)
    #expect(result.output == (await expected(at: url)))
  }

  @Test func absolutePathsStartAtTheRoot() async throws {
    let (site, images) = (folder.appendingPathComponent("site"), folder.appendingPathComponent("site/images"))
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: site.appendingPathComponent("en"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Fixtures.bytes("encoder-cwebp-q75.webp").write(to: images.appendingPathComponent("a.webp"))
    let input = site.appendingPathComponent("en/page.html")
    try Data("<img src=/images/a.webp><img src=../images/a.webp><img src=/../../a.webp>".utf8).write(to: input)
    let result = try await Programs.run("webp", ["inline", input.path, "--root", site.path, "-o", "-"])
    let html = String(decoding: result.output, as: UTF8.self)
    #expect(result.status == 0)
    #expect(html.components(separatedBy: "<img src=data:image/png;base64,").count == 3)
    #expect(html.hasSuffix("<img src=/../../a.webp>"))
    #expect(result.errors.contains("/images/a.webp 2 times"))
    let outside = try await Programs.run("webp", ["inline", input.path, "--root", images.path, "-o", "-"])
    #expect(outside.status == 1 && outside.errors.contains("the page is not in this folder"))
  }

  @Test func unreadablePagesAndUnwritableOutputsAreReported() async throws {
    let nowhere = folder.appendingPathComponent("none.html").path
    let missing = try await Programs.run("webp", ["inline", nowhere, "-o", "-"])
    #expect(missing.status == 1 && missing.errors.contains("none.html") && missing.output.isEmpty)
    let unwritable = try await Programs.run("webp", ["inline", "-", "-o", nowhere], input: Data("<p>".utf8))
    #expect(unwritable.status == 1 && unwritable.errors.contains("none.html"))
  }
}
