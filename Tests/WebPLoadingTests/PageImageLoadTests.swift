import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct PageImageLoadTests {
  private let session = InnerSession(.patient, keepsURLCache: true)

  @Test func sizeThenSource() async throws {
    let exchange = Exchange("encoder-cwebp-q75.webp", ["piece": "20", "chunked": "1"])
    let answers = await PageImageLoad.answers(exchange.url, session)
    #expect(answers.count == 2)
    guard case .size(67, 45) = answers[0], case .source(let url) = answers[1] else {
      Issue.record("other answers: \(answers)")
      return
    }
    let png = try #require(Data(base64Encoded: String(url.dropFirst("data:image/png;base64,".count))))
    #expect(try PNGReader(png).reference == Fixtures.references["encoder-cwebp-q75.webp"])
    let requests = try await exchange.log()
    #expect(requests.count == 1 && requests[0].headers["cookie"] == nil)
  }

  @Test(arguments: [["status": "404"], ["cut": "300"], ["as": "index.tsv", "type": "image/webp"]])
  func failures(query: [String: String]) async throws {
    let answers = await PageImageLoad.answers(Exchange("encoder-cwebp-q75.webp", query).url, session)
    guard case .failure = answers.last else {
      Issue.record("no failure: \(answers)")
      return
    }
  }

  @Test func answersAreScripts() {
    #expect(PageImageLoad.Answer.size(width: 3, height: 4).script(for: 7) == "PureWebP.answer(7, 'size', 3, 4)")
    let script = PageImageLoad.Answer.failure("a \"quoted\" reason\n'</script>").script(for: 8)
    #expect(script.hasPrefix("PureWebP.answer(8, 'failure', \"a \\\"quoted\\\" reason\\n'"))
    #expect(!script.contains("\n"))
  }
}

extension PageImageLoad {
  /// All answers, to the last one.
  static func answers(_ url: URL, _ session: InnerSession) async -> [Answer] {
    let stream = AsyncStream<Answer> { continuation in
      PageImageLoad(options: .init()) { answer in
        continuation.yield(answer)
        if case .size = answer { return }
        continuation.finish()
      }.start(url, session)
    }
    var answers: [Answer] = []
    for await answer in stream { answers.append(answer) }
    return answers
  }
}
