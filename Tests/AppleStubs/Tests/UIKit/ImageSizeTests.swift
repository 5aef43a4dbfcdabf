import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that images are decoded for the size in which they are shown, and never for more.
  /// Expected values: sizes computed by hand. Boxes are multiples of 64 pixels.
  @MainActor @Suite struct ImageSizeTests {
    let screen = Screen()

    /// A cell that layout makes larger after the call. The box is 292.5 × 219.4 in pixels, rounded up to 320 × 256.
    @Test func imagesAreDecodedAfterTheLayout() async throws {
      let view = screen.view(20, 15)
      var widths: Set<Int> = []
      view.onImage = { if let image = $0?.cgImage { widths.insert(image.width) } }
      view.setWebP(UIKitTests.still, loader: screen.loader)
      view.frame.size = CGSize(width: 97.5, height: 73.125)
      await screen.wait { view.pixels == [320, 240] }
      #expect(widths == [320] && view.points == [640, 480])
    }

    /// The image view is resized by its mask, as in a window that the user resizes.
    @Test func largerViewsDecodeAgain() async throws {
      let cell = UIView(frame: CGRect(x: 0, y: 0, width: 20, height: 15))
      let view = UIImageView(frame: cell.bounds)
      view.contentMode = .scaleAspectFit
      view.autoresizingMask = [.flexibleWidth, .flexibleHeight]
      cell.addSubview(view)
      screen.window.addSubview(cell)
      view.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { view.pixels == [64, 48] }
      let first = view.image
      // Smaller views, and views in the same box, keep their image.
      for side in [10, 21] {
        cell.frame.size = CGSize(width: side, height: side)
        await screen.settle()
        #expect(view.image === first)
      }
      cell.frame.size = CGSize(width: 97.5, height: 73.125)
      await screen.wait { view.pixels == [320, 240] }
      cell.frame.size = CGSize(width: 3000, height: 3000)
      await screen.wait { view.pixels == [640, 480] }
      #expect(view.points == [640, 480])
    }

    /// A window moves from a screen with 2 pixels per point to one with 3.
    @Test func screensWithOtherScalesDecodeAgain() async throws {
      screen.window.screen = UIScreen(scale: 2)
      let view = screen.view(160, 100)
      view.setWebP(UIKitTests.still, loader: screen.loader, viewOptions: .init(scale: .ofScreen))
      await screen.wait { view.pixels == [320, 240] }
      #expect(view.points == [320, 240])
      screen.window.screen = UIScreen(scale: 3)
      await screen.wait { view.pixels == [427, 320] }
      #expect(view.points == [213, 160])
      // A screen with fewer pixels needs no other image, but the image has another size in points.
      screen.window.screen = UIScreen(scale: 1)
      await screen.wait { view.points == [640, 480] }
      #expect(view.pixels == [427, 320])
    }

    /// The empty image is set from the headers. Nothing is decoded before.
    @Test func viewsThatTheImageSizesGetItsFinalSizeFirst() async throws {
      let (stack, view) = (UIStackView(frame: CGRect(x: 0, y: 0, width: 390, height: 800)), UIImageView())
      stack.addArrangedSubview(view)
      screen.window.addSubview(stack)
      var images: [UIImage?] = []
      view.onImage = { images.append($0) }
      view.setWebP(UIKitTests.rotated, loader: screen.loader)
      await screen.wait { images.count == 3 }
      await screen.settle()
      #expect(
        images.map { $0.map { [Int($0.size.width.rounded()), Int($0.size.height.rounded())] } ?? [] } == [
          [], [45, 67], [45, 67],
        ])
      #expect(images[1]?.cgImage.map { $0.pixels.allSatisfy { $0 == 0 } } == true)
      #expect(view.pixels == [45, 67] && view.frame.size == CGSize(width: 45, height: 67))
    }

    /// A view without bounds waits for the size of its image, which a file that is no image does not have.
    @Test func viewsWithoutBoundsReportFailures() async throws {
      let view = screen.view(0, 0)
      var failures = 0
      view.setWebP(URL(string: "data:image/webp;base64,AAAA"), loader: screen.loader) {
        if case .failure = $0 { failures += 1 }
      }
      await screen.wait { failures == 1 }
    }

    /// The view grows while the file arrives.
    @Test func onlyTheLastSizeIsShown() async throws {
      let (loader, transport, gate) = try UIKitTests.holding(after: 60)
      let view = screen.view(20, 15)
      var widths: Set<Int> = []
      view.onImage = { if let image = $0?.cgImage { widths.insert(image.width) } }
      view.setWebP(URL(string: "http://a/b.webp"), loader: loader)
      await screen.settle()
      view.frame.size = CGSize(width: 100, height: 75)
      await screen.settle()
      gate.open()
      await screen.wait { view.pixels == [320, 240] }
      await screen.settle()
      #expect(widths == [320] && transport.requests.count == 1)
    }

    /// The file arrives once, although it is complete before the view has a size.
    @Test func filesAreLoadedBeforeTheLayout() async throws {
      let file = try Data(contentsOf: UIKitTests.still)
      let (loader, transport) = UIKitTests.loader(.head(200), .piece(file))
      let view = UIImageView(frame: .zero)
      view.contentMode = .scaleAspectFit
      var completed = 0
      view.setWebP(URL(string: "http://a/b.webp"), loader: loader) { _ in completed += 1 }
      await screen.wait { transport.releasedBodies == 1 }
      view.frame.size = CGSize(width: 100, height: 100)
      screen.window.addSubview(view)
      await screen.wait { completed == 1 }
      await screen.settle()
      #expect(completed == 1)
      #expect(view.pixels == [320, 240] || view.pixels == [640, 480])  // of the screen, if it was late
      #expect(transport.requests.count == 1)
    }

    @Test(arguments: [
      (UIView.ContentMode.scaleAspectFit, [256, 192]), (.scaleAspectFill, [320, 240]), (.scaleToFill, [320, 240]),
      (.center, [640, 480]),
    ])
    func contentModesDetermineTheSize(mode: UIView.ContentMode, pixels: [Int]) async throws {
      let view = screen.view(100, 60, mode)
      view.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { view.pixels == pixels }
      #expect(view.points == [640, 480])
    }

    /// An image of 45 × 67 that is stored as 67 × 45. The box 64 × 64 is larger.
    @Test func rotatedImagesCoverTheirViews() async throws {
      let view = screen.view(10, 6, .scaleAspectFill)
      view.setWebP(UIKitTests.rotated, loader: screen.loader)
      await screen.wait { view.pixels == [45, 67] }
      #expect(view.points == [45, 67])
    }

    /// Frames have the size of the canvas, which the view scales. Only the first image is decoded for the view. If it
    /// is too small later, the shown frame replaces it.
    @Test func animationsAreNotScaledForTheirView() async throws {
      var file = [UInt8](try Data(contentsOf: UIKitTests.animation))
      (file[24], file[27]) = (199, 149)  // a canvas of 200 × 150 pixels
      let animation = try WebP.Animation(file, options: .init(format: .bgraPremultiplied))
      let frames = try animation.frames.indices.map { Data(try animation.frame(at: $0).image.pixels) }
      let url = URL(string: "data:image/webp;base64,\(Data(file).base64EncodedString())")
      UIAccessibility.isReduceMotionEnabled = true
      defer { UIAccessibility.isReduceMotionEnabled = false }
      let view = screen.view(20, 15)
      view.setWebP(url, loader: screen.loader)
      await screen.wait { view.pixels == [64, 48] }
      #expect(view.points == [200, 150])
      view.frame.size = CGSize(width: 200, height: 200)
      await screen.wait { view.image?.cgImage?.pixels == frames[0] }
      UIAccessibility.isReduceMotionEnabled = false
      await screen.wait { view.image?.cgImage?.pixels == frames[2] }
      #expect(view.points == [200, 150])
    }
  }
}

extension UIImageView {
  /// The size of the shown image, in points, rounded.
  fileprivate var points: [Int] {
    image.map { [Int($0.size.width.rounded()), Int($0.size.height.rounded())] } ?? []
  }
}
