import ConformanceGenerator
import ConformanceSupport
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that the frames of an animation are delivered while its bytes arrive, and that errors follow them.
/// Expected values: the frames of the complete file, the errors of the sources, and numbers of steps by hand.
@Suite struct FrameUpdatesTests {
  private static let file = "animation-random-7.webp"

  private func source(_ bytes: [UInt8], size: Int, error: (any Error)? = nil) -> AsyncThrowingStream<[UInt8], any Error>
  {
    AsyncThrowingStream { continuation in
      for start in stride(from: 0, to: bytes.count, by: size) {
        continuation.yield(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      continuation.finish(throwing: error)
    }
  }

  @Test(arguments: [7, 1000, 1 << 20], [WebP.PixelFormat.rgba, .yuva])
  func framesEqualTheFramesOfTheFile(size: Int, format: WebP.PixelFormat) async throws {
    let bytes = try Array(Conformance.vector(Self.file))
    let options = WebP.DecodeOptions(format: format)
    let expected = try Array(WebP.Animation(bytes, options: options))
    #expect(expected.count > 3)
    var found: [WebP.Animation.Frame] = []
    for try await update in WebP.updates(from: source(bytes, size: size), options: options) {
      let frame = try #require(update.frame)
      expectSame(update.image, frame.image)
      #expect(update.isComplete && update.rows == 0..<update.image.height)
      found.append(frame)
    }
    expectSame(found, expected)
  }

  /// The element after the last frame may never arrive.
  @Test func noElementIsAwaitedAfterTheLastFrame() async throws {
    struct OneElement: AsyncSequence, AsyncIteratorProtocol {
      var element: [UInt8]?

      func makeAsyncIterator() -> Self { self }

      mutating func next() async -> [UInt8]? {
        if element == nil { Issue.record("awaited an element after the last frame") }
        defer { element = nil }
        return element
      }
    }
    let bytes = try Array(Conformance.vector(Self.file))
    var count = 0
    for try await _ in WebP.updates(from: OneElement(element: bytes)) { count += 1 }
    #expect(try count == WebP.Animation(bytes).frames.count)
  }

  @Test func framesPrecedeErrors() async throws {
    struct Failure: Error {}
    let bytes = try Array(Conformance.vector(Self.file))
    let animation = try WebP.Animation(bytes)
    let cut = Array(bytes[..<(animation.frames[2].bytes.upperBound - 1)])
    let truncated = try await collect(source(cut, size: 100))
    expectSame(truncated.frames, [try animation.frame(at: 0), try animation.frame(at: 1)])
    #expect((truncated.error as? WebP.DecodeError)?.kind == .truncated)
    let failed = try await collect(source(cut, size: 100, error: Failure()))
    expectSame(failed.frames, truncated.frames)
    #expect(failed.error is Failure)
    let other = try await collect(source(Array("GIF89a".utf8), size: 100))
    #expect(other.frames.isEmpty && (other.error as? WebP.DecodeError)?.kind == .notWebP)
  }

  private func collect(
    _ source: AsyncThrowingStream<[UInt8], any Error>
  ) async throws -> (frames: [WebP.Animation.Frame], error: (any Error)?) {
    var found: [WebP.Animation.Frame] = []
    var iterator = WebP.updates(from: source).makeAsyncIterator()
    do {
      while let update = try await iterator.next() { found += [update.frame].compactMap { $0 } }
      return (found, nil)
    } catch {
      #expect(try await iterator.next() == nil)
      return (found, error)
    }
  }

  @Test func framesEndWithTheirTask() async throws {
    let bytes = try Array(Conformance.vector(Self.file))
    let source = source(bytes, size: 1 << 20)
    let task = Task {
      var count = 0
      for try await _ in WebP.updates(from: source) {
        count += 1
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      Issue.record("\(count) frames without an error")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Cancellation takes effect between two steps of a frame, so a step must be short.
  @Test(arguments: [WebP.PixelFormat.rgba, .bgr, .yuva], [false, true])
  func stepsOfAFrameCountItsPixels(format: WebP.PixelFormat, isBlended: Bool) throws {
    var random = SplitMix64(seed: 61)
    let (width, height, pixelsPerStep) = (200, 640, 200 * 64)
    var frame = PlainFrame(picture: PixelGrid(width: width, height: height, using: &random))
    frame.isBlended = isBlended
    let file = FileWriter.riff(
      FileWriter.vp8X(flags: 0x12, width: width, height: height), FileWriter.anim(), FileWriter.anmf(frame))
    let crop = WebP.Rectangle(x: 20, y: height - 12, width: 50, height: 10)
    for (size, crop) in [(nil, nil), (WebP.OutputSize.fit(width: 4, height: 4), nil), (nil, crop)] {
      let options = WebP.DecodeOptions(format: format, crop: crop, size: size, threads: .one)
      var animation = WebP.StreamingAnimation(options: options)
      try animation.append(file)
      var (steps, found) = (0, WebP.Animation.Frame?.none)
      while found == nil {
        let step = try animation.nextFrame(pixelLimit: pixelsPerStep)
        try #require(step.isPaused || step.frame != nil)
        (steps, found) = (steps + 1, step.frame)
      }
      try expectSame(found?.image, WebP.Animation(file, options: options).frame(at: 0).image)
      // The decoder works in batches of 16 rows.
      #expect(steps >= width * height / pixelsPerStep / 2)
    }
  }

  @Test func streamsOfAnimationsNameTheRightFunction() throws {
    var decoder = WebP.StreamingDecoder()
    let error = #expect(throws: WebP.DecodeError.self) { try decoder.append(Conformance.vector(Self.file)) }
    #expect(error?.cause == .animation && error?.detail.contains("WebP.updates(from:)") == true)
  }
}
