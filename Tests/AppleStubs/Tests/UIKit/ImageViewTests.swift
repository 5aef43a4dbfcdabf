import Foundation
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves what image views show. Expected values: the decoder's images, and sizes computed by hand.
  @MainActor @Suite struct ImageViewTests {
    let screen = Screen()

    @Test func imagesAreShownUpright() async throws {
      let view = screen.view(300, 300)
      view.setWebP(UIKitTests.rotated, loader: screen.loader)
      await screen.wait { view.pixels == [45, 67] }
      let file = try Data(contentsOf: UIKitTests.rotated)
      let expected = try WebP.decode(file, options: .init(format: .bgraPremultiplied)).oriented(.right)
      let isEqual = view.image?.cgImage?.pixels == Data(expected.pixels)
      #expect(isEqual && view.image?.imageOrientation == .up)
    }

    /// Local files never fade in, and a nil URL shows the placeholder alone.
    @Test func placeholdersAreShownUntilTheImageIs() async throws {
      let view = screen.view(300, 300)
      let gray = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      var isLoaded = false
      view.setWebP(UIKitTests.still, loader: screen.loader, placeholder: gray) { _ in
        isLoaded = true
        #expect(view.image !== gray || view.pixels == [67, 45])
      }
      #expect(view.image === gray)
      await screen.wait { isLoaded && view.image !== gray }
      #expect(view.layer.animations.isEmpty)
      view.setWebP(nil, loader: screen.loader, placeholder: gray)
      #expect(view.image === gray)
    }

    @Test func animationsPlayOnlyWhileTheyAreVisible() async throws {
      let view = screen.view(100, 100)
      var count = 0
      view.setWebP(UIKitTests.animation, loader: screen.loader)
      view.onImage = { _ in count += 1 }
      await screen.wait { count > 10 }
      view.removeFromSuperview()
      await screen.settle()
      let shown = count
      CADisplayLink.refresh(seconds: 2)
      await screen.settle()
      #expect(count <= shown + 1 && CADisplayLink.running.first?.preferredFramesPerSecond == 4)
      screen.window.addSubview(view)
      await screen.wait { count > shown + 10 }
      view.cancelWebP()
      #expect(CADisplayLink.running.isEmpty)
    }

    @Test func releasedViewsEndTheirPlayback() async throws {
      var view: UIImageView? = screen.view(100, 100)
      weak let released = view
      view?.setWebP(UIKitTests.animation, loader: screen.loader)
      await screen.wait { !CADisplayLink.running.isEmpty }
      view?.removeFromSuperview()
      view = nil
      await screen.wait { released == nil && CADisplayLink.running.isEmpty }
    }
  }
}
