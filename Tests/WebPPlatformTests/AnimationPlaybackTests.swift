import Foundation
import PureWebP
import TestSupport
import Testing

@testable import WebPPlatform

/// Proves that frames are shown at their times, and that a paused view continues where it was.
/// Expected values: times computed by hand.
@MainActor @Suite struct AnimationPlaybackTests {
  /// A clock that goes as fast as the player.
  private final class TestClock: FrameClock {
    var now = 100.0
    /// Called before each wait.
    var onWait: () -> Void = {}

    func wait(until time: Double) async {
      onWait()
      now = max(now, time)
    }
  }

  /// Two frames of 40 ms and 40 ms, shown five times.
  private func player() throws -> WebPFramePlayer<Int> {
    let animation = try WebP.Animation(TestFile.vector("animation-anim-twice.webp"))
    return WebPFramePlayer(animation) { $0.width }
  }

  @Test func framesAreShownAtTheirTimes() async throws {
    let player = try player()
    let (position, clock) = (PlaybackPosition(player.animation), TestClock())
    var times: [Int] = []
    await position.play(
      clock, { player.image(at: $0) },
      show: { _ in times.append(Int(((clock.now - 100) * 1000).rounded())) })
    var (expected, time) = ([Int](), 0)
    for _ in 0..<player.animation.loopCount {
      for frame in player.animation.frames {
        expected.append(time)
        time += frame.displayMilliseconds
      }
    }
    #expect(times == expected && position.next == nil)
    #expect(Int(((clock.now - 100) * 1000).rounded()) == time)  // the last frame was shown for its duration
  }

  /// A view that is late by more than a tenth of a second shows the next frame for its full duration.
  @Test(arguments: [(0.05, 0.04), (0.2, 0.24)]) func lateFramesAreNotShownFaster(late: Double, next: Double) throws {
    let position = PlaybackPosition(try player().animation)
    position.advance(now: 0)
    #expect(position.dueTime(now: 0) == 0.04)
    position.advance(now: 0.04 + late)
    #expect(abs(position.dueTime(now: 1) - (0.04 + next)) < 1e-9)
  }

  @Test func pausedPlaybackContinuesWithTheNextFrame() async throws {
    let player = try player()
    let clock = TestClock()
    var shown = 0
    var playback: AnimationPlayback<Int>?
    playback = AnimationPlayback(SharedFrames(player), clock, PlaybackPosition(player.animation)) { _ in shown += 1 }
    clock.onWait = { if shown == 3 { playback?.isPlaying = false } }
    playback?.isPlaying = true
    while playback?.isPlaying == true { await Task.yield() }
    for _ in 0..<100 { await Task.yield() }
    #expect(shown == 3)
    clock.onWait = {}
    clock.now += 1000
    playback?.isPlaying = true
    let total = player.animation.frameCount * player.animation.loopCount
    while shown < total { await Task.yield() }
    #expect(shown == total)
  }

  /// The next frame is due when the view continues, even if the shown frame had time left.
  @Test func continuedPlaybackDoesNotWaitForTheNextFrame() async throws {
    let player = try player()
    let clock = TestClock()
    var times: [Double] = []
    var playback: AnimationPlayback<Int>?
    playback = AnimationPlayback(SharedFrames(player), clock, PlaybackPosition(player.animation)) { _ in
      times.append(clock.now)
      if times.count == 2 { playback?.isPlaying = false }
    }
    playback?.isPlaying = true
    while playback?.isPlaying == true { await Task.yield() }
    playback?.isPlaying = true
    while times.count < 4 { await Task.yield() }
    #expect(times[2] == times[1] && abs(times[3] - times[2] - 0.04) < 1e-9)
  }

  /// The options determine the loops. The end is reported once, and again only after another beginning.
  @Test func loopsEndOnce() async throws {
    let player = try player()
    let (position, clock) = (PlaybackPosition(player.animation, loops: 2), TestClock())
    var (shown, ends) = (0, 0)
    let playback = AnimationPlayback(
      SharedFrames(player), clock, position, onEnd: { ends += 1 }, show: { _ in shown += 1 })
    for loops in 1...2 {
      playback.isPlaying = true
      while ends < loops { await Task.yield() }
      #expect(shown == 2 * loops * player.animation.frameCount)
      playback.isPlaying = false
      playback.isPlaying = true
      for _ in 0..<100 { await Task.yield() }
      #expect(ends == loops)
      playback.restartIfEnded()
    }
    #expect(PlaybackPosition(player.animation, loops: -1).next == 0)
  }

  /// A view that is released ends its playback.
  @Test func releasedPlaybackEnds() async throws {
    let player = try player()
    var shown = 0
    var playback: AnimationPlayback<Int>? = AnimationPlayback(
      SharedFrames(player), SleepingClock(), PlaybackPosition(player.animation)
    ) { _ in shown += 1 }
    playback?.isPlaying = true
    while shown == 0 { await Task.yield() }
    playback = nil
    try await Task.sleep(nanoseconds: 150_000_000)
    #expect(shown <= 2)
  }
}
