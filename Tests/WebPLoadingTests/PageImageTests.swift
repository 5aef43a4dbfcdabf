import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that a page's image is reported first with its size, and then with its source or its error.
/// Expected values: the responses of a server on the loopback interface.
@Suite(.gated, .needs("python3")) struct PageImageTests {
  private let session = Upstream(.patient, keepsURLCache: true)

  @Test func sizePrecedesTheSource() async throws {
    let exchange = Exchange(Fixtures.photo, ["piece": "20", "chunked": "1"])
    let answers = await PageImage.answers(exchange.url, session)
    try #require(answers.count == 2)
    guard case .size(67, 45) = answers[0], case .source(let url) = answers[1] else {
      Issue.record("other answers: \(answers)")
      return
    }
    let png = try #require(Data(base64Encoded: String(url.dropFirst("data:image/png;base64,".count))))
    #expect(try PNGReader(png).reference == Fixtures.references[Fixtures.photo])
    let requests = try await exchange.log()
    #expect(requests.count == 1 && requests[0].headers["cookie"] == nil)
  }

  @Test(arguments: [
    ["status": "201"], ["status": "300"], ["status": "404"], ["cut": "300"],
    ["as": "index.tsv", "type": "image/webp"],
  ])
  func failuresAreReported(query: [String: String]) async throws {
    let answers = await PageImage.answers(Exchange(Fixtures.photo, query).url, session)
    guard case .failure = answers.last else {
      Issue.record("no failure: \(answers)")
      return
    }
  }

  /// The cache answers the second load. Its entries are the same as the URL protocol's.
  @Test func convertedImagesAreCached() async throws {
    let options = WebPURLProtocol.Options(cache: WebP.ImageCache(folder: nil))
    let exchange = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=600"])
    let first = await PageImage.answers(exchange.url, session, options)
    let second = await PageImage.answers(exchange.url, session, options)
    #expect(try await exchange.log().count == 1)
    guard case .source(let url) = first.last, case .source(url) = second.last else {
      Issue.record("other answers: \(first) \(second)")
      return
    }
    let png = try #require(options.cache?.png(for: exchange.url))
    #expect(url == "data:image/png;base64," + png.base64EncodedString())
  }

  /// The server confirms a stale entry. An image of another format, which the URL protocol has stored, is a failure.
  @Test func staleEntriesAreValidated() async throws {
    var options = WebPURLProtocol.Options(cachesOtherImages: true)
    options.cache = WebP.ImageCache(folder: nil)
    let stale = Exchange(Fixtures.photo, ["header": "Cache-Control:max-age=0", "etag": "1"])
    for _ in 0..<2 {
      guard case .source = await PageImage.answers(stale.url, session, options).last else {
        Issue.record("no image")
        return
      }
    }
    let fixed = ["text": "a photo", "type": "image/jpeg", "header": "Cache-Control:max-age=600"]
    let photo = Exchange("a.jpg", fixed)
    _ = try await URLSession(configuration: .patient.withWebP(options)).data(from: photo.url)
    guard case .failure = await PageImage.answers(photo.url, session, options).last else {
      Issue.record("no failure")
      return
    }
    #expect(try await photo.log().count == 1)
  }

  /// The session of a configuration that converts WebP already loads the WebP itself.
  @Test func configurationsMayConvertAlready() async throws {
    let session = Upstream(.patient.withWebP(.init(claimsEveryURL: true)), keepsURLCache: true)
    let exchange = Exchange(Fixtures.photo, [:])
    guard case .size(67, 45) = await PageImage.answers(exchange.url, session).first else {
      Issue.record("no size")
      return
    }
    #expect(try await exchange.log().count == 1)
  }

  /// 2¹⁸ frames of four million pixels. Converting all of them would take hours.
  @Test func conversionsEndWhenStopped() async throws {
    let side = 2048
    // One color: five prefix codes with one symbol each, no transforms.
    let picture = FileWriter.chunk("VP8L", FileWriter.vp8LHeader(width: side, height: side) + [0x88, 0x88, 0x08])
    let place = [0, 0, side - 1, side - 1, 40].flatMap { FileWriter.littleEndian($0, bytes: 3) }
    let frame = FileWriter.chunk("ANMF", place + [0] + picture)
    var frames = frame
    for _ in 0..<18 { frames += frames }
    let animation = Data(
      FileWriter.riff(
        FileWriter.vp8X(flags: 2, width: side, height: side), FileWriter.chunk("ANIM", [0, 0, 0, 0, 0, 0]), frames))

    let options = WebPURLProtocol.Options(
      conversion: .init(limits: .init(maximumPixelsPerByte: 1 << 20, maximumAnimationPixels: 1 << 40)))
    let (answers, continuation) = AsyncStream.makeStream(of: PageImage.Answer.self)
    let upstream = Upstream(
      .patient, transport: ScriptedTransport(.head(200), .piece(animation)), keepsURLCache: true)
    let load = PageImage(upstream, options) { continuation.yield($0) }
    load.start(URL(string: "http://a/b.webp"))
    var received: [PageImage.Answer] = []
    for await answer in answers {
      received.append(answer)
      load.stop { continuation.finish() }
    }
    guard received.count == 1, case .size(2048, 2048) = received[0] else {
      Issue.record("other answers: \(received)")
      return
    }
  }

  private func request(_ page: String, _ id: Int, _ url: String = "http://a/") throws -> PageRequest {
    try #require(PageRequest(["page": page, "id": id, "url": url]))
  }

  @Test func answersAreScripts() throws {
    let size = PageImage.Answer.size(width: 3, height: 4).script(for: try request("1-2", 7))
    #expect(size == "PureWebPBridge.answer(\"1-2\", 7, 'size', 3, 4)")
    let failure = PageImage.Answer.failure("a \"quoted\" reason\n'</script>").script(for: try request("\")//", 8))
    #expect(
      failure.hasPrefix("PureWebPBridge.answer(\"\\\")\\/\\/\", 8, 'failure', \"a \\\"quoted\\\" reason\\n'"))
    #expect(!failure.contains("\n"))
  }

  @Test func invalidRequestsAreRejected() {
    let message: [String: Any] = ["page": "1", "id": 1, "url": "HTTPS://a/"]
    #expect(PageRequest(message) != nil)
    let long = String(repeating: "1", count: 65)
    for (key, value) in [("page", 1), ("page", long), ("id", "1"), ("url", 1)] as [(String, Any)] {
      #expect(PageRequest(message.merging([key: value]) { $1 }) == nil)
    }
    #expect(PageRequest("page") == nil)
  }

  /// Two pages, one after the other, send requests with the same numbers.
  @MainActor @Test func leftPagesGetNoAnswers() async throws {
    let loads = PageImages(session, .init())
    let (answers, continuation) = AsyncStream.makeStream(of: String.self)
    let held = Exchange(Fixtures.photo, ["hold": "300"])
    loads.start(try request("one", 1, held.url.absoluteString)) { continuation.yield($0) }
    _ = try await held.wait { @Sendable in $0.first?.sent == 300 }
    loads.start(try request("two", 1, Exchange.url("encoder-pillow-lossless.webp").absoluteString)) {
      continuation.yield($0)
      if !$0.contains("'size'") { continuation.finish() }
    }
    _ = try await held.wait { @Sendable in $0.first?.aborted == true }
    var last: String?
    for await answer in answers where answer.contains("\"two\"") { last = answer }
    #expect(last?.hasPrefix("PureWebPBridge.answer(\"two\", 1, 'source'") == true)
  }

  @MainActor @Test func loadsEndWithTheirView() async throws {
    var loads: PageImages? = PageImages(session, .init())
    let held = Exchange(Fixtures.photo, ["hold": "300"])
    loads?.start(try request("one", 1, held.url.absoluteString)) { _ in }
    _ = try await held.wait { @Sendable in $0.first?.sent == 300 }
    loads = nil
    _ = try await held.wait { @Sendable in $0.first?.aborted == true }
  }
}

extension PageImage {
  /// Returns all answers.
  static func answers(
    _ url: URL, _ session: Upstream, _ options: WebPURLProtocol.Options = .init()
  ) async -> [Answer] {
    let stream = AsyncStream<Answer> { continuation in
      PageImage(session, options) { answer in
        continuation.yield(answer)
        if case .size = answer { return }
        continuation.finish()
      }.start(url)
    }
    var answers: [Answer] = []
    for await answer in stream { answers.append(answer) }
    return answers
  }
}
