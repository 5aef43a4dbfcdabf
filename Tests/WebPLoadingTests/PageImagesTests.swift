import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading
@testable import WebPWebView

/// Proves that the image requests of a page are limited, answered and ended with their page.
/// Expected values: the answers that the page's script receives.
@MainActor @Suite(.gated, .needs("python3")) struct PageImagesTests {
  private let loads = PageImages(Upstream(.patient, keepsURLCache: true), .init())
  private let answers = AsyncStream.makeStream(of: String.self)

  private func ask(_ id: Int, _ url: String, page: String = "PAGE") throws {
    let request = try #require(PageRequest(["page": page, "id": id, "url": url]))
    // The closure must not retain the loads: they would run until their timeout.
    loads.start(request) { [answers] in answers.continuation.yield($0) }
  }

  /// Returns the first answers that are not sizes.
  private func lastAnswers(_ count: Int) async -> [String] {
    var lasts: [String] = []
    for await answer in answers.stream where !answer.contains("'size'") {
      lasts.append(answer)
      if lasts.count == count { break }
    }
    return lasts
  }

  @Test func picturesInDataURLsAreConverted() async throws {
    let name = Fixtures.photo
    try ask(3, "data:image/webp;base64,\(Fixtures.bytes(name).base64EncodedString())")
    let answer = try #require(await lastAnswers(1).first)
    let start = "PureWebPBridge.answer(\"PAGE\", 3, 'source', 'data:image/png;base64,"
    #expect(answer.hasPrefix(start))
    let png = try #require(Data(base64Encoded: String(answer.dropFirst(start.count).dropLast(2))))
    #expect(try PNGReader(png).reference == Fixtures.references[name])
  }

  /// URLs that are not loaded are answered too, because the script waits for an answer.
  @Test(arguments: [
    "file:///a.webp", "app://a/b.webp", "blob:http://a/b.webp", "a.webp", "", "http://[", "data:image/webp",
    "data:image/webp;base64,!", "data:image/webp,a",
  ])
  func everyRequestIsAnswered(url: String) async throws {
    try ask(5, url)
    let answer = await lastAnswers(1).first
    #expect(answer?.hasPrefix("PureWebPBridge.answer(\"PAGE\", 5, 'failure'") == true)
  }

  /// The server delays six loads. A seventh load would finish immediately if it ran.
  @Test func sixLoadsRunAtTheSameTime() async throws {
    let held = Exchange(Fixtures.photo, ["hold": "-1"])
    for id in 1...6 { try ask(id, held.url.absoluteString) }
    try ask(7, "data:,")
    _ = try await held.wait { @Sendable in $0.count == 6 }
    try await held.release()
    let lasts = await lastAnswers(7)
    #expect(lasts.first?.contains("\"PAGE\", 7,") == false)
    #expect(lasts.filter { $0.contains("\"PAGE\", 7, 'failure'") }.count == 1)
    #expect(lasts.filter { $0.contains("'source'") }.count == 6)
  }

  /// One of the six stopped loads is still running, so the sixth load of the next page must wait.
  @Test func slotsAreFreeWhenWorkHasStopped() async throws {
    let left = Exchange(Fixtures.photo, ["hold": "-1"])
    for id in 1...6 { try ask(id, left.url.absoluteString) }
    _ = try await left.wait { @Sendable in $0.count == 6 }
    let mayEnd = DispatchSemaphore(value: 0)
    defer { mayEnd.signal() }
    let busy = try #require(loads.running.values.first)
    busy.queue.async { mayEnd.wait() }
    let held = Exchange(Fixtures.photo, ["hold": "-1"])
    for id in 1...5 { try ask(id, held.url.absoluteString, page: "NEXT") }
    try ask(6, "data:,", page: "NEXT")
    _ = try await held.wait { @Sendable in $0.count == 5 }
    try await held.release()
    let lasts = await lastAnswers(6)
    #expect(lasts.first?.contains("'source'") == true)
    #expect(lasts.allSatisfy { $0.contains("\"NEXT\"") })
  }

  /// The server does not answer the first six loads, so all others wait.
  @Test(arguments: [(10_000, 0), (2, 33 << 20)])
  func waitingLoadsAreLimited(count: Int, bytes: Int) async throws {
    let held = Exchange(Fixtures.photo, ["hold": "-1"])
    for id in 1...6 { try ask(id, held.url.absoluteString) }
    let url = "data:," + String(count: bytes, of: "a")
    for id in 7..<(7 + count) { try ask(id, url) }
    try ask(0, "data:,")
    #expect(await lastAnswers(1) == ["PureWebPBridge.answer(\"PAGE\", 0, 'failure', \"too many waiting images\")"])
  }

  /// The waiting requests have as many bytes as permitted. After they have been started, or their page was left, new
  /// requests may wait.
  @Test(arguments: [false, true]) func finishedRequestsDoNotCount(isLeft: Bool) async throws {
    let held = Exchange(Fixtures.photo, ["hold": "-1"])
    for id in 1...6 { try ask(id, held.url.absoluteString) }
    try ask(7, "x:" + String(count: 64 << 20, of: "a"))
    if !isLeft {
      try await held.release()
      _ = await lastAnswers(7)
    }
    try ask(8, "x:", page: isLeft ? "NEXT" : "PAGE")
    #expect(await lastAnswers(1).first?.contains("scheme x") == true)
  }
}
