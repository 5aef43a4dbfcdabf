import Foundation
import PureWebP
import Testing

@testable import WebPPlatform

@MainActor @Suite struct FramePlayerTests {
  private func player(_ name: String) throws -> WebPFramePlayer<WebP.Image> {
    WebPFramePlayer(try WebP.Animation(Fixtures.bytes(name))) { $0 }
  }

  @Test func allLoopsAreShown() async throws {
    let player = try player("animation-anim-twice.webp")
    #expect(player.animation.loopCount == 5)
    let frames = Array(player.animation).map(\.image)
    var shown: [WebP.Image?] = []
    await player.play { shown.append($0) }
    #expect(shown == Array(repeatElement(frames, count: 5).joined()))
  }

  /// Also while it waits for the next frame's time.
  @Test func forEverIsUntilTheTaskIsCancelled() async throws {
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
