import Accessibility
import Foundation
import LoadingTestSupport
import PureWebP
import SwiftUI
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves what the model of SwiftUI views publishes, and how the environment controls it.
  /// Expected values: sizes computed by hand.
  @MainActor @Suite struct ImageModelTests {
    private let screen = Screen()
    private static let small = ViewConditions(width: 300, height: 225)

    private func model(
      _ url: URL, loader: WebP.ImageLoader? = nil, _ viewOptions: WebPViewOptions = .init(), fits: Bool = true,
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in }
    ) -> WebPImageModel {
      WebPImageModel(WebPSource(url), loader ?? screen.loader, .init(), viewOptions, fits: fits, onLoad)
    }

    @Test func imagesAreDecodedForTheView() async {
      let model = model(UIKitTests.still)
      #expect(model.preview == nil && model.showsPlaceholder)
      model.update(Self.small)
      await screen.wait { model.shown?.image.width == 320 }
      #expect(model.size == CGSize(width: 640, height: 480) && model.shown?.density == 0.5)
      let first = model.shown?.image
      model.update(ViewConditions(width: 10, height: 10))
      await screen.settle()
      #expect(model.shown?.image === first)
      model.update(ViewConditions(width: 3000, height: 3000))
      await screen.wait { model.shown?.image.width == 640 }
      #expect(model.shown?.density == 1)
    }

    /// The first update of the view shows the image, which shares the memory of the loader.
    @Test func imagesInMemoryAreShownImmediately() async {
      let first = model(UIKitTests.still)
      first.update(Self.small)
      await screen.wait { first.shown != nil }
      var loadCount = 0
      let second = model(UIKitTests.still) { _ in loadCount += 1 }
      let stored = screen.loader.addressInMemory(UIKitTests.still)
      #expect(stored != nil && second.preview?.image.dataProvider?.data.address == stored)
      #expect(second.preview?.density == 0.5)
      second.update(Self.small)
      #expect(second.shown?.image.dataProvider?.data.address == stored && loadCount == 1)
    }

    /// The orientation follows the pixels in a file, so the headers have the size of the stored image.
    @Test func imagesFromServersGetTheirUprightSize() async throws {
      let (file, gate) = (try Data(contentsOf: UIKitTests.rotated), Gate())
      let (loader, _) = UIKitTests.loader(
        .head(200), .piece(file.dropLast(20)), .wait(gate), .piece(file.suffix(20)))
      let model = model(try #require(URL(string: "http://a/b.webp")), loader: loader)
      model.update(Self.small)
      await screen.wait { model.size != nil }
      #expect(model.size == CGSize(width: 67, height: 45))
      gate.open()
      await screen.wait { model.shown?.image.width == 45 }
      #expect(model.size == CGSize(width: 45, height: 67))
    }

    @Test func progressAndFailuresArePublished() async throws {
      let (file, gate) = (try Data(contentsOf: UIKitTests.still), Gate())
      let (loader, _) = UIKitTests.loader(
        .head(200, ["Content-Length": "\(file.count)"]), .piece(file.prefix(20)), .wait(gate),
        .piece(file.dropFirst(20)))
      let model = model(try #require(URL(string: "http://a/b.webp")), loader: loader)
      model.update(Self.small)
      await screen.wait {
        if case .loading(let progress?) = model.phase { progress.receivedBytes == 20 } else { false }
      }
      gate.open()
      await screen.wait { model.shown?.image.width == 320 }

      let failing = self.model(URL(fileURLWithPath: "/none"), .init(delaysPlaceholder: true))
      #expect(!failing.showsPlaceholder)
      failing.update(Self.small)
      await screen.wait { if case .failure = failing.phase { true } else { false } }
      #expect(failing.showsPlaceholder)
      failing.resume()
      #expect(!failing.showsPlaceholder)  // until the next failure
      await screen.wait { failing.showsPlaceholder }
    }

    /// The animation stops, and the load does not begin again.
    @Test func animationsFollowTheConditions() async {
      var loadCount = 0
      let model = model(UIKitTests.animation) { _ in loadCount += 1 }
      var conditions = Self.small
      conditions.permitsAnimations = false
      model.update(conditions)
      await screen.wait { model.shown != nil }
      let first = model.shown?.image
      try? await Task.sleep(nanoseconds: 100_000_000)
      #expect(model.shown?.image === first)
      conditions.permitsAnimations = true
      model.update(conditions)
      await screen.wait { model.shown?.image.pixels != first?.pixels }
      model.stop()
      await screen.settle()
      let last = model.shown?.image
      try? await Task.sleep(nanoseconds: 100_000_000)
      #expect(model.shown?.image === last && loadCount == 1)
    }

    /// Each setting of the system and of SwiftUI stops animations.
    @Test func theEnvironmentControlsTheConditions() {
      let proxy = GeometryProxy(size: CGSize(width: 100, height: 75))
      let changes: [(inout EnvironmentValues) -> Void] = [
        { $0.accessibilityReduceMotion = true }, { $0.accessibilityPlayAnimatedImages = false },
      ]
      for change in changes {
        var environment = EnvironmentValues()
        #expect(environment.conditions(proxy, isAnimated: true) == ViewConditions(width: 100, height: 75))
        change(&environment)
        #expect(
          environment.conditions(proxy, isAnimated: true)
            == ViewConditions(width: 100, height: 75, permitsAnimations: false))
      }
      var environment = EnvironmentValues()
      (environment.displayScale, environment.scenePhase) = (3, .background)
      #expect(
        environment.conditions(proxy, isAnimated: true)
          == ViewConditions(width: 300, height: 225, isInBackground: true))
    }

    /// SwiftUI updates a view that reads its global frame whenever it scrolls, so that still images read none. A window
    /// on an external display can be larger than the main screen.
    @Test func onlyAnimationsReadTheirPosition() async {
      func isOnScreen(_ y: CGFloat, isAnimated: Bool) -> Bool {
        let proxy = GeometryProxy(size: CGSize(width: 100, height: 75), origin: CGPoint(x: 0, y: y))
        return EnvironmentValues().conditions(proxy, isAnimated: isAnimated).isOnScreen
      }
      let reads = GeometryProxy.globalFrames.value
      #expect(isOnScreen(2000, isAnimated: false) && GeometryProxy.globalFrames.value == reads)
      #expect(!isOnScreen(900, isAnimated: true) && GeometryProxy.globalFrames.value == reads + 1)
      UIScreen.screens.append(UIScreen(scale: 1, bounds: CGRect(x: 0, y: 0, width: 1920, height: 1080)))
      defer { UIScreen.screens.removeLast() }
      #expect(isOnScreen(900, isAnimated: true))
      for (url, isAnimated) in [(UIKitTests.still, false), (UIKitTests.animation, true)] {
        var isLoaded = false
        let model = model(url) { _ in isLoaded = true }
        model.update(Self.small)
        await screen.wait { isLoaded }
        #expect(model.kind.isAnimated == isAnimated)
        model.stop()
      }
    }

    /// Low Power Mode is no value of the environment. Expected: NSProcessInfo.h, `NSProcessInfoPowerStateDidChange`.
    @Test func lowPowerModeStopsAnimations() async {
      defer { ProcessInfo.lowPower.value = false }
      let (model, ignoring) = (model(UIKitTests.animation), model(UIKitTests.animation))
      model.update(Self.small)
      ignoring.update(Self.small, .init(ignoresLowPowerMode: true))
      await screen.wait { model.shown != nil && ignoring.shown != nil }
      ProcessInfo.lowPower.value = true
      await screen.settle()
      let (shown, other) = (model.shown?.image, ignoring.shown?.image)
      await screen.wait { ignoring.shown?.image !== other }
      #expect(model.shown?.image === shown)
      model.update(Self.small, .init(control: .play))
      await screen.wait { model.shown?.image !== shown }
      ProcessInfo.lowPower.value = false
      for model in [model, ignoring] { model.stop() }
    }

    /// Content that crops shows a square of 300 pixels of an image of 640 × 480. Expected: an image that covers it, as
    /// `scaledToFill` requires, in a box of 320 pixels.
    @Test func croppedContentIsNotEnlarged() async {
      let model = model(UIKitTests.still, fits: false)
      model.update(ViewConditions(width: 300, height: 300))
      await screen.wait { model.shown?.image.width == 427 }
      #expect(model.shown?.image.height == 320 && model.size == CGSize(width: 640, height: 480))
    }

    /// A panorama of 640 × 40 pixels would need 16 times the pixels. Expected: 4 times, in a box of 64 pixels.
    @Test func panoramasHaveAtMostFourTimesThePixels() async throws {
      let (loader, transport, gate) = try UIKitTests.holding(after: 60)
      let model = WebPImageModel(
        WebPSource(try #require(URL(string: "http://a/b.webp"))), loader,
        .init(decoding: .init(crop: .init(x: 0, y: 0, width: 640, height: 40))), .init(), fits: false
      ) { _ in }
      model.update(ViewConditions(width: 64, height: 64))
      await screen.wait { model.size != nil }
      await screen.settle()
      gate.open()
      await screen.wait { model.shown?.image.width == 128 }
      #expect(model.shown?.image.height == 8 && transport.requests.count == 1)
    }

    /// Points are pixels divided by the number in the name, as in `SDImageScaleFactorForKey`.
    @Test func scalesDetermineThePoints() throws {
      let shown = WebPImageModel.Shown(image: CGImage(withoutPixels: 10, height: 10), density: 0.5)
      func scale(_ name: String, _ scale: WebPViewOptions.Scale) throws -> CGFloat {
        let model = model(try #require(URL(string: "http://a/\(name)")), .init(scale: scale))
        return model.pixelsPerPoint(shown, displayScale: 3) / 0.5
      }
      #expect(try scale("b.webp", .ofName) == 1 && scale("b@2x.webp", .ofName) == 2)
      #expect(try scale("b%403x.webp?c", .ofName) == 3 && scale("b@2x.webp", .ofScreen) == 3)
      #expect(try scale("b@2x.webp", .number(1.5)) == 1.5 && scale("b", .number(-1)) == 1)
      #expect(try scale("b", .number(.infinity)) == 1 && scale("b", .number(.nan)) == 1)
    }
  }
}
