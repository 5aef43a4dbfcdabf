import ConformanceGenerator
import TestComparison
import TestSupport
import Testing

@testable import PureWebP

/// Proves that frames are delivered at their times, and that playback can be canceled.
/// Expected values: times computed by hand, on a clock that advances only while a task sleeps.
@Suite struct PlaybackTests {
  private final class TestClock: Clock, @unchecked Sendable {
    struct Instant: InstantProtocol {
      var offset: Duration
      func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
      func duration(to other: Self) -> Duration { other.offset - offset }
      static func < (a: Self, b: Self) -> Bool { a.offset < b.offset }
    }

    /// Not synchronized, because only one task uses the clock.
    var now = Instant(offset: .seconds(7))
    let minimumResolution = Duration.zero

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
      now = max(now, deadline)
    }
  }

  private static func animation(_ durations: [Int], loopCount: Int = 1) throws -> WebP.Animation {
    var random = SplitMix64(seed: 16)
    let frames = durations.map {
      PlainFrame(picture: PixelGrid(width: 3, height: 3, using: &random), duration: $0)
    }
    return try WebP.Animation(FileWriter.animation(width: 3, height: 3, loopCount: loopCount, frames))
  }

  /// The times at which the frames are delivered, and finally the time at which the sequence ends, in milliseconds.
  ///
  /// - Parameter delay: the time that passes after each frame before the next one is requested.
  private func times(
    _ animation: WebP.Animation, loops: Int? = nil, usesStoredTimes: Bool = false,
    delay: (Int) -> Int = { _ in 0 }, limit: Int = .max
  ) async throws -> [Int] {
    let clock = TestClock()
    let start = clock.now
    var times: [Int] = []
    func milliseconds() -> Int { Int(start.duration(to: clock.now) / .milliseconds(1)) }
    let expected = Array(animation)
    for try await frame in animation.playback(loops: loops, usesStoredTimes: usesStoredTimes, clock: clock) {
      expectSame(frame, expected[times.count % expected.count])
      times.append(milliseconds())
      clock.now.offset += .milliseconds(delay(times.count - 1))
      if times.count == limit { return times }
    }
    return times + [milliseconds()]
  }

  @Test func displayDurationsExtendShortFrames() throws {
    let frames = Array(try Self.animation([0, 10, 11, 250]))
    #expect(frames.map(\.info.displayMilliseconds) == [100, 100, 11, 250])
  }

  @Test func framesAreDeliveredAtTheirTimes() async throws {
    let animation = try Self.animation([100, 50, 200])
    #expect(try await times(animation) == [0, 100, 150, 350])
    #expect(try await times(animation, loops: 2) == [0, 100, 150, 350, 450, 500, 700])
    #expect(try await times(Self.animation([100, 50], loopCount: 3)) == [0, 100, 150, 250, 300, 400, 450])
    #expect(try await times(Self.animation([40], loopCount: 0), limit: 5) == [0, 40, 80, 120, 160])
  }

  /// A still image has no duration, so it is shown once, even if it is to be repeated forever.
  @Test func stillImagesHaveNoDuration() async throws {
    let frame = PlainFrame(
      picture: PixelGrid(width: 2, height: 2, pixels: Array(repeating: SIMD4(1, 2, 3, 4), count: 4)))
    let animation = try WebP.Animation(FileWriter.riff(FileWriter.chunk("VP8L", FileWriter.vp8L(frame.picture))))
    #expect(animation.frames[0].displayMilliseconds == 0 && animation.frames[0].storedMilliseconds == 0)
    #expect(try await times(animation, loops: 0) == [0, 0])
    #expect(animation.frameIndex(atMilliseconds: 50) == 0)
  }

  @Test func shortFramesAreShownAsInBrowsersByDefault() async throws {
    let animation = try Self.animation([0, 10, 11])
    #expect(try await times(animation) == [0, 100, 200, 211])
    #expect(try await times(animation, usesStoredTimes: true) == [0, 0, 10, 21])
  }

  @Test func delaysDoNotAccumulate() async throws {
    let animation = try Self.animation([100, 100, 100, 100])
    #expect(try await times(animation, delay: { _ in 30 }) == [0, 100, 200, 300, 400])
    #expect(try await times(animation, delay: { $0 == 0 ? 150 : 0 }) == [0, 150, 200, 300, 400])
    #expect(try await times(animation, delay: { $0 == 0 ? 250 : 0 }) == [0, 250, 350, 450, 550])
  }

  @Test func cancellationEndsTheWait() async throws {
    let animation = try Self.animation([60_000, 60_000], loopCount: 0)
    let (frames, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in animation.playback() { continuation.yield() }
    }
    for await _ in frames { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  /// Cancellation also ends the sequence if no frame requires waiting.
  @Test func cancellationEndsFramesWithoutDuration() async throws {
    let animation = try Self.animation([0, 0], loopCount: 0)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      for try await _ in animation.playback(usesStoredTimes: true, clock: TestClock()) { return }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func corruptFrameThrowsAtItsTime() async throws {
    let good = try Self.animation([70, 80, 90])
    var file = Array(good.bytes)
    file[good.frames[1].bytes.lowerBound + 8 + 5] |= 7
    let clock = TestClock()
    let start = clock.now
    var frames = WebP.Animation.Playback(
      animation: try WebP.Animation(file), loops: 1, usesStoredTimes: true, clock: clock
    ).makeAsyncIterator()
    #expect(try await frames.next()?.index == 0)
    do {
      _ = try await frames.next()
      Issue.record("no error")
    } catch {
      #expect((error as? WebP.DecodeError)?.frame == 1)
      #expect(start.duration(to: clock.now) == .milliseconds(70))
    }
    #expect(try await frames.next() == nil)
  }
}
