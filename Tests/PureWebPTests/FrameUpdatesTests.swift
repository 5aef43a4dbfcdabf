import ConformanceSupport
import PureWebP
import TestComparison
import Testing

/// Proves that the frames of an animation are delivered while its bytes arrive, and that errors follow them.
/// Expected values: the frames of the complete file, and the errors of the sources.
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
    for try await frame in WebP.frames(from: source(bytes, size: size), options: options) { found.append(frame) }
    expectSame(found, expected)
  }

  @Test func singleBytesSuffice() async throws {
    let bytes = try Array(Conformance.vector(Self.file))
    let stream = AsyncStream<UInt8> { continuation in
      for byte in bytes { continuation.yield(byte) }
      continuation.finish()
    }
    var found: [WebP.Animation.Frame] = []
    for try await frame in WebP.frames(from: stream) { found.append(frame) }
    try expectSame(found, Array(WebP.Animation(bytes)))
  }

  @Test func stillImagesHaveOneFrame() async throws {
    let bytes = try Array(Conformance.vector("encoder-cwebp-alpha-best.webp"))
    var found: [WebP.Image] = []
    for try await frame in WebP.frames(from: source(bytes, size: 500)) { found.append(frame.image) }
    try expectSame(found, [WebP.decode(bytes)])
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
    var iterator = WebP.frames(from: source).makeAsyncIterator()
    do {
      while let frame = try await iterator.next() { found.append(frame) }
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
      for try await _ in WebP.frames(from: source) {
        count += 1
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      }
      Issue.record("\(count) frames without an error")
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// The image of an animation is its first frame, as in `WebP.decode`.
  @Test(arguments: [7, 1000, 1 << 20]) func updatesOfAnimationsAreTheFirstFrame(size: Int) async throws {
    let bytes = try Array(Conformance.vector(Self.file))
    var updates: [WebP.ImageUpdate] = []
    for try await update in WebP.updates(from: source(bytes, size: size)) { updates.append(update) }
    #expect(updates.count == 1 && updates.last?.isFinal == true)
    try expectSame(updates.last?.image, WebP.decode(bytes))
    let cut = bytes[..<(try WebP.Animation(bytes).frames[0].bytes.upperBound - 1)]
    let error = await #expect(throws: WebP.DecodeError.self) {
      for try await _ in WebP.updates(from: source(Array(cut), size: size)) { Issue.record("an update") }
    }
    #expect(error?.kind == .truncated)
  }

  @Test func streamsOfAnimationsNameTheRightFunction() throws {
    var decoder = WebP.StreamingDecoder()
    let error = #expect(throws: WebP.DecodeError.self) { try decoder.append(Conformance.vector(Self.file)) }
    #expect(error?.cause == .animation && error?.detail.contains("WebP.frames(from:)") == true)
  }
}
