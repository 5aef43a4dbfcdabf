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
      _ url: URL, loader: WebP.ImageLoader? = nil, _ viewOptions: WebPViewOptions = .init(),
      onLoad: @escaping @MainActor (WebP.ImageLoader.Loaded) -> Void = { _ in }
    ) -> WebPImageModel {
      WebPImageModel(url, loader ?? screen.loader, .init(), viewOptions, onLoad)
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
      let stored = screen.loader.pixelsInMemory(UIKitTests.still)
      #expect(stored != nil && second.preview?.image.dataProvider?.data === stored)
      #expect(second.preview?.density == 0.5)
      second.update(Self.small)
      #expect(second.shown?.image.dataProvider?.data === stored && loadCount == 1)
    }

    /// The orientation follows the pixels in a file, so the headers have the size of the stored image.
    @Test func imagesFromServersGetTheirUprightSize() async throws {
      let (file, gate) = (try Data(contentsOf: UIKitTests.rotated), Gate())
      let transport = ScriptedTransport(.head(200), .piece(file.dropLast(20)), .wait(gate), .piece(file.suffix(20)))
      let loader = WebP.ImageLoader(configuration: .ephemeral, transport: transport)
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
      let transport = ScriptedTransport(
        .head(200, ["Content-Length": "\(file.count)"]), .piece(file.prefix(20)), .wait(gate),
        .piece(file.dropFirst(20)))
      let loader = WebP.ImageLoader(configuration: .ephemeral, transport: transport)
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
      defer { (animatedImages.value, ProcessInfo.lowPower.value) = (true, false) }
      let proxy = GeometryProxy(size: CGSize(width: 100, height: 75))
      let changes: [(inout EnvironmentValues) -> Void] = [
        { $0.accessibilityReduceMotion = true }, { $0.accessibilityPlayAnimatedImages = false },
        { _ in animatedImages.value = false }, { _ in ProcessInfo.lowPower.value = true },
      ]
      for change in changes {
        var environment = EnvironmentValues()
        (animatedImages.value, ProcessInfo.lowPower.value) = (true, false)
        #expect(environment.conditions(proxy) == ViewConditions(width: 100, height: 75))
        change(&environment)
        #expect(environment.conditions(proxy) == ViewConditions(width: 100, height: 75, permitsAnimations: false))
      }
      (animatedImages.value, ProcessInfo.lowPower.value) = (true, false)
      var environment = EnvironmentValues()
      (environment.displayScale, environment.scenePhase) = (3, .background)
      #expect(environment.conditions(proxy) == ViewConditions(width: 300, height: 225, isInBackground: true))
      let outside = GeometryProxy(size: CGSize(width: 100, height: 75), origin: CGPoint(x: 0, y: 2000))
      #expect(!EnvironmentValues().conditions(outside).isOnScreen)
    }
  }
}
