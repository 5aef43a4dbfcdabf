import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPLoading

@Suite struct PNGSequenceTests {
  /// Pieces of a file, and how many of them were asked for.
  private final class Pieces: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = Data
    private var rest: Data
    private(set) var taken = 0

    init(_ data: Data) { rest = data }

    func makeAsyncIterator() -> Pieces { self }

    func next() async throws -> Data? {
      defer { rest = Data(rest.dropFirst(4096)) }
      taken += rest.isEmpty ? 0 : 1
      return rest.isEmpty ? nil : rest.prefix(4096)
    }
  }

  @Test func nothingIsReadAhead() async throws {
    let webP = try Fixtures.bytes("four-megapixels.webp")
    let pieces = Pieces(webP)
    var png = Data()
    var takenForFirst: Int?
    for try await part in WebP.PNGSequence(pieces) {
      takenForFirst = takenForFirst ?? pieces.taken
      png += part
    }
    #expect(takenForFirst! * 4096 < webP.count / 2)
    #expect(try PNGReader(png).reference == Fixtures.references["four-megapixels.webp"])
  }

  @Test func damageIsAnErrorAndThenTheEnd() async throws {
    let webP = try Fixtures.bytes("encoder-cwebp-q75.webp")
    var pieces = WebP.PNGSequence(Pieces(webP.prefix(700))).makeAsyncIterator()
    await #expect(throws: WebP.ConversionError.self) { while try await pieces.next() != nil {} }
    #expect(try await pieces.next() == nil)
  }

  /// An animation is converted when its last byte has come: all at once, unless nobody waits any more.
  @Test func cancellationEndsAConversion() async throws {
    struct Cancelling: AsyncSequence, AsyncIteratorProtocol {
      let webP: Data
      var isTaken = false
      func makeAsyncIterator() -> Cancelling { self }
      mutating func next() async throws -> Data? {
        if isTaken { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
        defer { isTaken = true }
        return isTaken ? nil : webP
      }
    }
    let webP = try Fixtures.bytes("animation-full-frames.webp")
    let task = Task {
      for try await _ in WebP.PNGSequence(Cancelling(webP: webP)) { Issue.record("a PNG after the end") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    arguments: [
      ("image/webp", true), ("image/avif,image/webp,*/*;q=0.8", true), ("text/html, IMAGE/WEBP ; q=0.1", true),
      ("image/webp;q=0", false), ("image/webp;q=0.000,*/*", false), ("image/*", false), ("*/*", false), (nil, false),
      ("image/webpx", false), ("", false),
    ] as [(String?, Bool)])
  func accept(header: String?, expected: Bool) {
    #expect(WebP.acceptsWebP(header) == expected)
  }

  /// In proportion to the square of the marks, this would take minutes.
  @Test func headersMayBeOfCombiningMarks() {
    let marks = String(repeating: "\u{323}\u{301}", count: 100_000)
    #expect(WebP.acceptsWebP("a\(marks);q=\(marks),image/webp"))
    #expect(CacheControl("a\(marks)=\(marks),max-age=5").maximumAge == 5)
    #expect(!VaryHeader(marks).isSupported)
  }
}
