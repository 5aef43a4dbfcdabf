import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPLoading

/// Proves that a sequence of parts is converted incrementally, on demand, and until it is canceled.
/// Expected values: the PNG that is converted in one call, and the number of parts that are requested.
@Suite struct PNGSequenceTests {
  /// The pieces of a file, and the number of pieces that were requested.
  private final class Pieces: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = Data
    private var rest: Data
    private let size: Int
    private(set) var taken = 0

    init(_ data: Data, size: Int = 4096) {
      rest = data
      self.size = size
    }

    func makeAsyncIterator() -> Pieces { self }

    func next() async throws -> Data? {
      defer { rest = Data(rest.dropFirst(size)) }
      taken += rest.isEmpty ? 0 : 1
      return rest.isEmpty ? nil : rest.prefix(size)
    }
  }

  @Test func nothingIsReadAhead() async throws {
    let webP = try Fixtures.bytes("four-megapixels.webp")
    let pieces = Pieces(webP)
    var png = Data()
    var takenForFirst: Int?
    for try await part in WebP.PNGSequence(pieces, options: .oneThread) {
      takenForFirst = takenForFirst ?? pieces.taken
      png += part
    }
    #expect(takenForFirst! * 4096 < webP.count / 2)
    #expect(try PNGReader(png).reference == Fixtures.references["four-megapixels.webp"])
  }

  /// Even if the file is a single element, the PNG is not buffered, and the decoder reads only the bytes that the part
  /// needs.
  @Test func partsAreConvertedOnDemand() async throws {
    let webP = try Fixtures.bytes("four-megapixels.webp")
    let pieces = Pieces(webP)
    var taken: [Int] = []
    for try await part in WebP.PNGSequence(pieces, options: .oneThread) {
      #expect(part.count < 1 << 20)
      taken.append(pieces.taken * 4096)
    }
    #expect(taken.count > 10)
    #expect(taken[taken.count / 2] < webP.count * 3 / 4)

    var options = WebP.ConversionOptions()
    for threads in [WebP.Threads.one, .atMost(3)] {
      options.threads = threads
      let whole = AsyncStream { continuation in
        continuation.yield(webP)
        continuation.finish()
      }
      var (png, most) = (Data(), 0)
      for try await part in WebP.PNGSequence(whole, options: options) {
        png += part
        most = max(most, part.count)
      }
      #expect(try PNGReader(png).reference == Fixtures.references["four-megapixels.webp"])
      #expect(most < 1 << 20)
    }
  }

  @Test func animationsAreConvertedFrameByFrame() async throws {
    let webP = try Fixtures.bytes("animation-random-7.webp")
    var parts: [Data] = []
    for try await part in WebP.PNGSequence(Pieces(webP)) { parts.append(part) }
    #expect(parts.count == (try WebP.info(webP).frameCount))
    #expect(try Array(parts.joined()) == WebP.Animation(webP).encoded().bytes)
  }

  /// A source that never suspends must not keep a thread of the cooperative pool busy: the task is scheduled again for
  /// each part.
  @Test func otherTasksRunBetweenParts() async throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return }
    let webP = try Fixtures.bytes("four-megapixels.webp")
    let executor = CountingExecutor()
    let parts = try await Task(executorPreference: executor) {
      var parts = 0
      for try await _ in WebP.PNGSequence(Pieces(webP), options: .oneThread) { parts += 1 }
      return parts
    }.value
    #expect(parts > 10 && executor.jobCount > parts)
  }

  @Test func otherTasksRunBetweenUpdates() async throws {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return }
    let webP = try Fixtures.bytes("four-megapixels.webp")
    let expected = try WebP.decode(webP)
    let executor = CountingExecutor()
    let image = try await Task(executorPreference: executor) {
      var image: WebP.Image?
      let whole = Pieces(webP, size: .max)
      for try await update in WebP.updates(from: whole) { image = update.image }
      return image
    }.value
    expectSame(image, expected)
    #expect(executor.jobCount > 3)
  }

  @Test func corruptFilesThrowAndThenEnd() async throws {
    let webP = try Fixtures.bytes(Fixtures.photo)
    var pieces = WebP.PNGSequence(Pieces(webP.prefix(700))).makeAsyncIterator()
    await #expect(throws: WebP.ConversionError.self) { while try await pieces.next() != nil {} }
    #expect(try await pieces.next() == nil)
  }

  /// An animation is converted after its last byte has arrived, unless the task is canceled.
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
      for try await _ in WebP.PNGSequence(Cancelling(webP: webP)) { Issue.record("a part of a PNG after cancellation") }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(
    arguments: [
      ("image/webp", true), ("image/avif,image/webp,*/*;q=0.8", true), ("text/html, IMAGE/WEBP ; q=0.1", true),
      ("image/webp;q=0", false), ("image/webp;q=0.000,*/*", false), ("image/*", false), ("*/*", false), (nil, false),
      ("image/webpx", false), ("", false), ("image/webp;q=0.5,image/png", false),
      ("image/png;q=0.5,image/webp;q=0.5", true),
      ("image/webp;q=0.8,*/*;q=0.9", false), ("image/webp;q=0.8,image/*;q=0.9,image/png;q=0.7", true),
    ] as [(String?, Bool)])
  func acceptHeadersAreParsed(header: String?, expected: Bool) {
    #expect(WebP.acceptsWebP(header) == expected)
  }

  /// An algorithm with quadratic time would take many seconds for these headers.
  @Test func headersMayConsistOfCombiningMarks() {
    let marks = String(repeating: "\u{323}\u{301}", count: 20_000)
    #expect(WebP.acceptsWebP("a\(marks);q=\(marks),image/webp"))
    #expect(CacheControl("a\(marks)=\(marks),max-age=5").maximumAge == 5)
    #expect(!VaryHeader(marks).isSupported)
  }
}

/// Runs jobs one after another and counts them: a task that suspends is a new job when it continues.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, *)
private final class CountingExecutor: TaskExecutor, @unchecked Sendable {
  private let queue = DispatchQueue(label: "CountingExecutor")
  private var count = 0

  var jobCount: Int { queue.sync { count } }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      self.count += 1
      unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
    }
  }
}

extension WebP.ConversionOptions {
  /// With one thread, the parts of a PNG do not depend on the progress of other threads.
  fileprivate static var oneThread: Self {
    var options = Self()
    options.threads = .one
    return options
  }
}
