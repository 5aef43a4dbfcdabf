import Accessibility
import Foundation
import LoadingTestSupport
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
      view.setWebP(UIKitTests.still, loader: screen.loader, placeholder: gray) { _ in isLoaded = true }
      #expect(view.image === gray)
      await screen.wait { isLoaded }
      #expect(view.pixels == [640, 480])
      #expect(view.layer.added.isEmpty)
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

    /// A reused cell shows an image in memory before the call returns, without a placeholder or a fade. It is not
    /// decoded again.
    @Test func imagesInMemoryAreShownImmediately() async throws {
      let gray = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      let first = screen.view(100, 75)
      first.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { first.pixels == [320, 240] }
      let second = screen.view(100, 75)
      var shown: [UIImage?] = []
      var completed = 0
      second.onImage = { shown.append($0) }
      second.setWebP(UIKitTests.still, loader: screen.loader, placeholder: gray) { _ in completed += 1 }
      #expect(second.pixels == [320, 240] && shown.count == 1)
      await screen.wait { completed == 1 }
      await screen.settle()
      #expect(shown.count == 1 && completed == 1 && second.layer.added.isEmpty)
      #expect(second.image?.cgImage.map { $0.bytesPerRow % 32 } == 0)
    }

    /// Views and the loader share the memory of an image.
    @Test func imagesInMemoryAreNotCopied() async throws {
      let views = [screen.view(100, 75), screen.view(100, 75)]
      for view in views {
        view.setWebP(UIKitTests.still, loader: screen.loader)
        await screen.wait { view.pixels == [320, 240] }
      }
      let stored = screen.loader.addressInMemory(UIKitTests.still)
      #expect(stored != nil && views.allSatisfy { $0.image?.cgImage?.dataProvider?.data.address == stored })
    }

    /// A smaller image is shown until the image for the view is ready. A larger image is shown as it is.
    @Test func imagesInMemoryOfOtherSizesAreShown() async throws {
      let small = screen.view(20, 15)
      small.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { small.pixels == [64, 48] }
      let large = screen.view(100, 75)
      var sizes: [Int] = []
      large.onImage = { if let image = $0?.cgImage { sizes.append(image.width) } }
      large.setWebP(UIKitTests.still, loader: screen.loader)
      #expect(sizes == [64])
      await screen.wait { large.pixels == [320, 240] }
      let middle = screen.view(50, 40)
      middle.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.settle()
      #expect(middle.pixels == [320, 240] && sizes == [64, 320])
      let points = try [small, large, middle].map { try #require($0.image).size.width }
      #expect(points.allSatisfy { ($0 - 640).magnitude < 2 })
      screen.loader.removeDecodedImages()
      await screen.settle()
      middle.setWebP(UIKitTests.still, loader: screen.loader)
      #expect(middle.image == nil)
    }

    /// A view that is given the same animation again continues it.
    @Test func animationsContinueAfterReuse() async throws {
      let view = screen.view(100, 100)
      view.setWebP(UIKitTests.animation, loader: screen.loader)
      await screen.wait { view.image != nil }
      let first = view.image?.cgImage?.pixels
      await screen.wait { view.image?.cgImage?.pixels != first }
      UIAccessibility.isReduceMotionEnabled = true
      defer { UIAccessibility.isReduceMotionEnabled = false }
      await screen.settle()
      let shown = view.image?.cgImage?.pixels
      for isCanceled in [true, false] {
        if isCanceled { view.cancelWebP() }
        view.setWebP(UIKitTests.animation, loader: screen.loader)
        await screen.wait { view.image?.cgImage?.pixels == shown }
      }
    }

    /// Each setting stops animations, in a view that is visible.
    @Test(arguments: [0, 1, 2]) func settingsStopAnimations(setting: Int) async throws {
      func apply(_ stops: Bool) {
        switch setting {
        case 0: UIAccessibility.isReduceMotionEnabled = stops
        case 1: animatedImages.value = !stops
        default: ProcessInfo.lowPower.value = stops
        }
      }
      apply(true)
      defer { apply(false) }
      let view = screen.view(100, 100)
      var count = 0
      view.setWebP(UIKitTests.animation, loader: screen.loader)
      view.onImage = { _ in count += 1 }
      await screen.wait { count > 0 }
      for _ in 0..<3 {
        CADisplayLink.refresh(seconds: 2)
        await screen.settle()
      }
      #expect(count == 1)
      apply(false)
      await screen.wait { count > 3 }
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

    @Test func releasedViewsEndTheirLoads() async throws {
      let file = try Data(contentsOf: UIKitTests.still)
      let (loader, transport) = UIKitTests.loader(.head(200), .piece(file.prefix(20)), .wait(Gate()))
      var view: UIImageView? = screen.view(100, 100)
      view?.setWebP(URL(string: "http://a/b.webp"), loader: loader)
      await screen.wait { transport.pulledPieces == 1 }
      view?.removeFromSuperview()
      view = nil
      await screen.wait { transport.releasedBodies == 1 }
    }

    /// A closure that sets another image, as in a list whose data has changed.
    @Test func closuresMaySetOtherImages() async throws {
      let view = screen.view(100, 75)
      var widths: Set<Int> = []
      view.onImage = { if let image = $0?.cgImage { widths.insert(image.width) } }
      view.setWebP(UIKitTests.still, loader: screen.loader) { _ in
        view.setWebP(UIKitTests.rotated, loader: self.screen.loader)
      }
      await screen.wait { view.pixels == [45, 67] }
      await screen.settle()
      #expect(widths == [320, 45])  // the first image is shown before the closure is called
    }

    /// The time function and the duration of the category that this method replaces.
    @Test func fadesAreConfigured() async throws {
      let (loader, _) = UIKitTests.loader(.head(200), .piece(try Data(contentsOf: UIKitTests.still)))
      let url = try #require(URL(string: "http://a/b.webp"))
      let view = screen.view(100, 100)
      var isLoaded = false
      view.setWebP(url, loader: loader, viewOptions: .init(fade: .init(seconds: 0.85, curve: .easeInOut))) { _ in
        isLoaded = true
      }
      await screen.wait { isLoaded }  // the first rows are shown before
      let fade = try #require(view.layer.added.first as? CATransition)
      #expect(fade.duration == 0.85 && fade.timingFunction?.name == .easeInEaseOut)
      view.setWebP(url, loader: loader)
      await screen.wait { view.image != nil }
      view.frame.size = CGSize(width: 300, height: 300)
      await screen.wait { view.pixels == [640, 480] }
      #expect(view.layer.added.count == 1)  // only the first image from the network
    }

    /// The options of Objective-C, and the PNG of a file.
    @Test func objectiveCOptionsApply() async throws {
      WebP.ImageLoader.shared = UIKitTests.loader(.head(200), .piece(try Data(contentsOf: UIKitTests.still))).0
      let options = WebPImageOptions()
      (options.fadeSeconds, options.fadeCurve, options.priority) = (0.85, .easeInOut, .low)
      let view = screen.view(100, 100)
      let url = URL(string: "http://a/b@2x.webp")
      var results: [(UIImage?, (any Error)?, WebPImageSource, URL?)] = []
      var progress: [[Int]] = []
      func load(_ source: WebPSource?) {
        view.load(source, nil, options, { progress.append([$0, $1]) }, { results.append(($0, $1, $2, $3)) })
      }
      load(url.map { WebPSource($0) })
      await screen.wait { results.count == 1 && !progress.isEmpty }
      let fade = try #require(view.layer.added.first as? CATransition)
      #expect(fade.duration == 0.85 && fade.timingFunction?.name == .easeInEaseOut)
      #expect(results[0].0 === view.image && results[0].1 == nil && results[0].2 == .network && results[0].3 == url)
      #expect(results[0].0?.size.width == 320 && progress.last?[1] == -1)
      options.showsImage = false
      load(WebPSource(try Data(contentsOf: UIKitTests.rotated)))
      await screen.wait { results.count == 2 }
      #expect(results[1].0?.size == CGSize(width: 45, height: 67) && results[1].2 == .cache && results[1].3 == nil)
      load(nil)
      #expect(results[2].0 == nil && results[2].1 is WebP.LoadError && results[2].2 == .none)
      let png = try pngData(ofWebP: Data(contentsOf: UIKitTests.still))
      #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      #expect(throws: (any Error).self) { try pngData(ofWebP: png) }
      #expect(try UIImage.decoded(Data(contentsOf: UIKitTests.animation), scale: 2).images?.count == 5)
    }

    /// The image passes to the closure, or the placeholder is shown after a failure.
    @Test func viewOptionsChangeWhatIsShown() async throws {
      let gray = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      let view = screen.view(100, 100)
      var loaded: [WebP.ImageLoader.Loaded] = []
      view.setWebP(
        UIKitTests.still, loader: screen.loader, placeholder: gray, viewOptions: .init(showsImage: false)
      ) { if case .success(let image) = $0 { loaded.append(image) } }
      await screen.wait { !loaded.isEmpty }
      await screen.settle()
      #expect(view.image === gray && loaded.count == 1 && loaded[0].image.width == 640)

      view.setWebP(
        URL(fileURLWithPath: "/none"), loader: screen.loader, placeholder: gray,
        viewOptions: .init(delaysPlaceholder: true))
      #expect(view.image == nil)
      await screen.wait { view.image != nil }
      #expect(view.image === gray)
    }
  }
}
