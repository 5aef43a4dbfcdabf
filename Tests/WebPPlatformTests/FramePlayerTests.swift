import Foundation
import PureWebP
import TestComparison
import TestSupport
import Testing

@testable import WebPPlatform

/// Proves that a player shows all frames in order, ends with its task, and stops before a corrupt frame.
/// Expected values: the frames that the decoder returns.
@MainActor @Suite struct FramePlayerTests {
  private func player(_ name: String) throws -> WebPFramePlayer<WebP.Image> {
    WebPFramePlayer(try WebP.Animation(TestFile.vector(name))) { $0 }
  }

  @Test func allLoopsAreShown() async throws {
    let player = try player("animation-anim-twice.webp")
    #expect(player.animation.loopCount == 5)
    let frames = Array(player.animation).map(\.image)
    var shown: [WebP.Image?] = []
    await player.play { shown.append($0) }
    #expect(shown == Array(repeatElement(frames, count: 5).joined()))
  }

  /// A corrupt frame ends the animation at the previous frame, also for players that have not shown that frame.
  @Test(arguments: [[3], [0, 3], [0, 1, 2, 3], [3, 0, 3]]) func corruptFrameEndsAtThePreviousFrame(indices: [Int])
    throws
  {
    let bytes = try TestFile.vector("animation-third-frame-broken.webp")
    let animation = try WebP.Animation(bytes)
    let whole = Array(animation).map(\.image)
    #expect(animation.frameCount == 4 && whole.count == 2)
    let player = WebPFramePlayer(animation) { $0 }
    for index in indices { expectSame(player.image(at: index), whole[min(index, 1)]) }
  }

  /// Canceling the task also ends a wait for the next frame.
  @Test func endlessLoopsEndWithTheTask() async throws {
    let player = try player("animation-corners-lossy.webp")
    #expect(player.animation.loopCount == 0)
    var count = 0
    var playing: Task<Void, Never>?
    playing = Task {
      await player.play { _ in
        count += 1
        if count == 7 { playing?.cancel() }
      }
    }
    await playing?.value
    #expect(count == 7)
  }
}
