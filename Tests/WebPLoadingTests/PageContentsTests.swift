import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing
import WebPLoading
import WebPPages

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Proves that `HTMLInliner` loads only permitted contents, without cookies and credentials.
/// Expected values: the responses of a server on the loopback interface, and files.
@Suite(.needs("python3")) struct PageContentsTests {
  private let picture = "encoder-cwebp-q75.webp"

  /// A page of an unknown server must not be loaded with the app's cookies and credentials.
  @Test func cookiesAndCredentialsAreNotSent() async throws {
    let cookie = UUID().uuidString
    let exchange = Exchange(picture, ["header": "Set-Cookie:stranger\(cookie)=1; Path=/; Max-Age=60"])
    let mine = try #require(
      HTTPCookie(properties: [.name: "mine\(cookie)", .value: "1", .domain: "127.0.0.1", .path: "/"]))
    let storage = HTTPCookieStorage.shared
    storage.setCookie(mine)
    defer { storage.deleteCookie(mine) }
    let page = Data("<img src='\(exchange.url)'><img src='\(exchange.url)&again'>".utf8)
    let result = await WebP.HTMLInliner().inline(page, at: exchange.url)
    #expect(result.inlined.count == 2)
    let requests = try await exchange.log()
    #expect(requests.count == 2 && requests.allSatisfy { $0.headers["cookie"] == nil })
    #expect(storage.cookies?.contains { $0.name == "stranger\(cookie)" } == false)
  }

  @Test(arguments: [
    (300, URLError.badServerResponse), (403, .noPermissionsToReadFile), (404, .fileDoesNotExist),
    (500, .badServerResponse),
  ])
  func statusesAreReported(status: Int, code: URLError.Code) async throws {
    let url = Exchange(picture, ["status": "\(status)"]).url
    let error = await #expect(throws: URLError.self) { try await WebP.HTMLInliner.contents(of: url) }
    #expect(error?.code == code && error?.localizedDescription.contains("\(status)") == true)
    #expect(error?.failingURL == url)
  }

  @Test(arguments: [200, 201, 299]) func bodiesOfSuccessfulStatusesAreAccepted(status: Int) async throws {
    let url = Exchange(picture, ["status": "\(status)"]).url
    #expect(try await WebP.HTMLInliner.contents(of: url).data == Fixtures.bytes(picture))
  }

  @Test func bodiesMayReachTheMaximumLength() async throws {
    let (url, bytes) = (Exchange(picture).url, try Fixtures.bytes(picture))
    #expect(try await WebP.HTMLInliner.contents(of: url, maximumBytes: bytes.count).data == bytes)
    let error = await #expect(throws: URLError.self) {
      try await WebP.HTMLInliner.contents(of: url, maximumBytes: bytes.count - 1)
    }
    #expect(error?.code == .dataLengthExceedsMaximum)
  }

  /// If the inliner did not check the scheme, FoundationNetworking would connect by FTP to any host that a page
  /// specifies.
  @Test(arguments: ["ftp", "FTP", "ws", "about"]) func otherSchemesAreRejected(scheme: String) async throws {
    let url = try #require(URL(string: "\(scheme)://127.0.0.1:1/a.webp"))
    let result = await WebP.HTMLInliner().inline(Data("<img src='\(url)'>".utf8), at: Exchange("").url)
    #expect(result.failures.mapValues { ($0 as? URLError)?.code } == [url: .unsupportedURL])
  }

  @Test(arguments: [0, 1, 1 << 16, 200_000]) func filesAreReadToTheirEnd(length: Int) async throws {
    let file = TemporaryFolder.place()
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 / 251) })
    try bytes.write(to: file)
    #expect(try await WebP.HTMLInliner.contents(of: file, maximumBytes: length).data == bytes)
    guard length > 0 else { return }
    await #expect {
      try await WebP.HTMLInliner.contents(of: file, maximumBytes: length - 1)
    } throws: { error in
      (error as? URLError)?.code == .dataLengthExceedsMaximum
    }
  }

  /// A folder can be opened, but not read.
  @Test func foldersAreRejected() async {
    let folder = FileManager.default.temporaryDirectory
    await #expect(throws: (any Error).self) { try await WebP.HTMLInliner.contents(of: folder) }
  }

  #if os(Linux)
    /// The reported size of this file is 0, but it contains more bytes.
    @Test func filesAreReadUpToTheMaximumLength() async throws {
      let file = URL(fileURLWithPath: "/proc/self/status")
      let error = await #expect(throws: URLError.self) {
        try await WebP.HTMLInliner.contents(of: file, maximumBytes: 100)
      }
      #expect(error?.code == .dataLengthExceedsMaximum)
      #expect(try await WebP.HTMLInliner.contents(of: file, maximumBytes: .max).data.count > 100)
    }
  #endif
}

/// Proves that `maximumInlinedBytes` bounds the bytes that are loaded and converted, as well as the written ones.
/// Expected values: loads and conversions that would fail if they continued.
@Suite(.needs("python3")) struct PageMemoryTests {
  private let picture = "encoder-cwebp-q75.webp"

  @Test(arguments: ["<img src='%'>", "<link rel=stylesheet href='%'>"])
  func oversizedContentsAreNotLoaded(tag: String) async throws {
    let exchange = Exchange.trickle()
    var inliner = WebP.HTMLInliner()
    inliner.maximumInlinedBytes = 300
    let page = Data(tag.replacingOccurrences(of: "%", with: exchange.url.absoluteString).utf8)
    let result = await inliner.inline(page, at: exchange.url)
    #expect(result.html == page)
    #expect(result.failures.values.map { ($0 as? URLError)?.code } == [.dataLengthExceedsMaximum])
    #expect(try await exchange.wait { $0.first?.done == true }.first?.aborted == true)
  }

  /// Converting the complete image would reveal that its second half is missing.
  @Test func conversionsEndAtTheMaximum() async throws {
    let picture = try Fixtures.bytes("four-megapixels.webp")
    try await expectEarlyEnd(picture.prefix(picture.count / 2), room: 100_000)
  }

  /// Converting the complete animation would reveal that its last frame is corrupt.
  @Test func animationConversionsEndAtTheMaximum() async throws {
    var animation = try Fixtures.bytes("encoder-pillow-animation.webp")
    animation.replaceSubrange(animation.count - 300..<animation.count - 100, with: repeatElement(0xFF, count: 200))
    try await expectEarlyEnd(animation, room: 100)
  }

  /// A canceled load is not reported as a lack of room, for animations and for still images.
  @Test(arguments: ["encoder-pillow-animation.webp", "encoder-cwebp-q75.webp"])
  func cancellationIsNotReportedAsMissingRoom(name: String) async throws {
    let picture = try Fixtures.bytes(name)
    let inliner = WebP.HTMLInliner { url in
      while !Task.isCancelled { await Task.yield() }
      return (picture, url)
    }
    let inlining = Task { await inliner.inline(Data("<img src=a.webp>".utf8), at: URL(string: "http://site/")!) }
    inlining.cancel()
    let failures = await inlining.value.failures
    #expect(failures.count == 1 && failures.values.first is CancellationError)
  }

  /// The result does not depend on the order in which images arrive, or on the order of a set.
  @Test(arguments: 0..<4) func earlierReferencesTakePrecedence(shift: Int) async throws {
    let picture = try Fixtures.bytes(picture)
    let names = (0..<8).map { "\(($0 + shift) % 8).webp" }
    let sixth = AsyncStream.makeStream(of: Void.self)
    let inliner = WebP.HTMLInliner { url in
      if url.lastPathComponent == names[5] { sixth.continuation.finish() }
      if url.lastPathComponent == names[0] { for await _ in sixth.stream {} }
      return (picture, url)
    }
    let site = try #require(URL(string: "http://site/"))
    let one = await inliner.inline(Data("<img src=\(names[5])>".utf8), at: site).html.count
    for page in [
      names.map { "<img src=\($0)>" }.joined(), "<style>\(names.map { "a{b:url(\($0))}" }.joined())</style>",
    ] {
      var bounded = inliner
      bounded.maximumInlinedBytes = one * 5 / 2
      let result = await bounded.inline(Data(page.utf8), at: site)
      #expect(Set(result.inlined.map(\.lastPathComponent)) == Set(names.prefix(2)))
      #expect(Set(result.failures.keys.map(\.lastPathComponent)) == Set(names.dropFirst(2)))
    }
  }

  private func expectEarlyEnd(_ damaged: Data, room: Int) async throws {
    var inliner = WebP.HTMLInliner { (damaged, $0) }
    let (page, url) = (Data("<img src=a.webp>".utf8), URL(string: "http://site/")!)
    let fault = await inliner.inline(page, at: url).failures.values.first
    #expect(fault is WebP.ConversionError)
    inliner.maximumInlinedBytes = room
    let error = await inliner.inline(page, at: url).failures.values.first as? URLError
    #expect(
      error?.code == .dataLengthExceedsMaximum && error?.localizedDescription.contains("maximumInlinedBytes") == true)
  }
}
