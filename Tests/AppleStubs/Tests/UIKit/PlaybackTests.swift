import Accessibility
import Foundation
import PureWebP
import Testing
import UIKit
import WebPLoading
import os

@testable import WebPPlatform

extension UIKitTests {
  /// Proves when animations play, and how often their frames are decoded.
  /// Expected values: the documentation of each setting, and counts of frames.
  @MainActor @Suite struct PlaybackTests {
    let screen = Screen()

    /// A view that plays, and the number of its images.
    private func playing(_ viewOptions: WebPViewOptions = .init()) -> (view: UIImageView, count: () -> Int) {
      let view = screen.view(100, 100)
      var count = 0
      view.onImage = { if $0 != nil { count += 1 } }
      view.setWebP(UIKitTests.animation, loader: screen.loader, viewOptions: viewOptions)
      return (view, { count })
    }

    /// Lets ten seconds pass, and returns how many images are shown meanwhile.
    private func images(_ count: () -> Int) async -> Int {
      let before = count()
      for _ in 0..<5 {
        CADisplayLink.refresh(seconds: 2)
        await screen.settle()
      }
      return count() - before
    }

    /// An app that plays an animation on a tap, although Reduce Motion is on.
    @Test func viewsPlayAndPauseOnRequest() async {
      UIAccessibility.isReduceMotionEnabled = true
      defer { UIAccessibility.isReduceMotionEnabled = false }
      let (view, count) = playing()
      await screen.wait { count() == 1 }
      #expect(await images(count) == 0)
      view.playWebP()
      await screen.wait { count() > 4 }
      view.pauseWebP()
      await screen.settle()
      #expect(await images(count) <= 1)
      view.playWebP()
      let paused = count()
      await screen.wait { count() > paused + 4 }
    }

    @Test func lowPowerModeCanBeIgnored() async {
      ProcessInfo.lowPower.value = true
      defer { ProcessInfo.lowPower.value = false }
      let (_, stopped) = playing()
      let (_, count) = playing(.init(playback: .init(ignoresLowPowerMode: true)))
      await screen.wait { count() > 4 }
      #expect(stopped() <= 1)
    }

    /// The first image, and two loops of five frames.
    @Test func loopsEnd() async {
      var ends = 0
      let (view, count) = playing(.init(playback: .init(loops: 2, onEnd: { ends += 1 })))
      await screen.wait { ends == 1 }
      #expect(count() == 11)
      #expect(await images(count) == 0)
      view.playWebP()
      await screen.wait { ends == 2 }
      #expect(count() == 21)
    }

    /// UIView.h: views without an area or with an alpha below 0.01 are not visible.
    @Test func invisibleViewsDoNotPlay() async {
      let (view, count) = playing()
      await screen.wait { count() > 3 }
      for hide in [
        { (isHidden: Bool) in view.alpha = isHidden ? 0.005 : 1 }, { view.frame.size.height = $0 ? 0 : 100 },
      ] {
        hide(true)
        await screen.settle()
        #expect(await images(count) <= 1)
        hide(false)
        let before = count()
        await screen.wait { count() > before + 3 }
      }
    }

    /// UIAccessibility.h: `UIAccessibilityReduceMotionStatusDidChangeNotification`.
    @Test func settingsAreNotPolled() async {
      let (_, count) = playing()
      await screen.wait { count() > 3 }
      let reads = UIAccessibility.readCount
      CADisplayLink.refresh(seconds: 5)
      await screen.settle()
      #expect(UIAccessibility.readCount == reads)
      UIAccessibility.isReduceMotionEnabled = true
      await screen.settle()
      #expect(await images(count) <= 1)
      UIAccessibility.isReduceMotionEnabled = false
      let before = count()
      await screen.wait { count() > before + 3 }
    }

    // MARK: Frames

    /// Five frames on a canvas with a side of its own, so that no other test shares them.
    private func file(_ side: UInt8) throws -> WebPSource {
      var file = [UInt8](try Data(contentsOf: UIKitTests.animation))
      (file[24], file[27]) = (side - 1, side - 1)
      return WebPSource(Data(file))
    }

    private func playing(_ side: UInt8, size: CGFloat = 100, loader: WebP.ImageLoader? = nil) throws -> (
      view: UIImageView, count: () -> Int
    ) {
      let view = screen.view(size, size)
      var count = 0
      view.onImage = { if $0 != nil { count += 1 } }
      view.setWebP(try file(side), loader: loader ?? screen.loader)
      return (view, { count })
    }

    /// The number of frames that were composed for a file.
    private func drawnFrames(_ side: UInt8) -> Int {
      let buffers = FrameMemory.shared.buffers.compactMap(\.buffer)
      return buffers.first { $0.animation.canvasSize.width == Int(side) }?.drawnFrameCount ?? 0
    }

    /// SDAnimatedImageView and issue 2795 of SDWebImage: views of one image share its player. Five frames are decoded
    /// in the first loop, and none in the next ones. Views of another size and another loader share them too.
    @Test func viewsShareFrames() async throws {
      FrameMemory.shared.limit = 1 << 20
      defer { FrameMemory.shared.limit = nil }
      var views = try (0..<4).map { _ in try playing(101) }
      await screen.wait { views.allSatisfy { $0.count() > 20 } }
      #expect(drawnFrames(101) == 5)
      views.append(try playing(101, size: 10, loader: WebP.ImageLoader()))
      await screen.wait { views[4].count() > 10 }
      #expect(drawnFrames(101) == 5)
    }

    /// `calculateMaxBufferCountWithFrame` of SDAnimatedImagePlayer.m limits the frames. If not all fit, views at the
    /// same position still decode a frame once.
    @Test func framesAreLimited() async throws {
      FrameMemory.shared.limit = 0
      defer { FrameMemory.shared.limit = nil }
      let views = try (0..<4).map { _ in try playing(102) }
      await screen.wait { views.allSatisfy { $0.count() > 20 } }
      let shown = views.map { $0.count() }.max() ?? 0
      #expect(11...(shown + 3) ~= drawnFrames(102))
    }

    /// SDMemoryCache.m, line 70, and the background, in which nothing is shown.
    @Test(arguments: [103, 104] as [UInt8]) func framesAreReleased(side: UInt8) async throws {
      let notification =
        side == 103
        ? UIApplication.didReceiveMemoryWarningNotification : UIApplication.didEnterBackgroundNotification
      FrameMemory.shared.limit = 1 << 20
      defer { FrameMemory.shared.limit = nil }
      let (view, count) = try playing(side)
      await screen.wait { count() > 10 }
      #expect(drawnFrames(side) == 5)
      view.pauseWebP()
      await screen.settle()
      NotificationCenter.default.post(name: notification, object: nil)
      await screen.settle()
      view.playWebP()
      let paused = count()
      await screen.wait { count() > paused + 20 }
      #expect(6...15 ~= drawnFrames(side))  // once more, and then from memory again
    }

    /// The rule of SDWebImage: 20 % of the memory, and 60 % of the free memory.
    @Test func freeMemoryLimitsFrames() async throws {
      defer { availableMemory.value = 0 }
      availableMemory.value = 100
      let (_, count) = try playing(105)
      await screen.wait { count() > 20 }
      #expect(drawnFrames(105) > 10)
    }
  }
}
