import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that no order of events leaks views, shows images of other URLs, or uses display links after their end.
  /// Expected values: the size of the image at the last URL of each view, which differs from all others.
  ///
  /// `SEQUENCES` sets the number of sequences; the nightly run has 10,000.
  @MainActor @Suite struct RandomSequenceTests {
    private static let count = ProcessInfo.processInfo.environment["SEQUENCES"].flatMap { Int($0) } ?? 40

    private let screen = Screen()
    private let loader: WebP.ImageLoader
    /// The URLs, and the widths of their images in points.
    private let images: [(url: URL, width: Double)]

    init() throws {
      let animation = [UInt8](try Data(contentsOf: UIKitTests.animation))
      // Canvases of 120, 180 and 240 pixels.
      let files = [119, 179, 239].map { (side: UInt8) in
        var file = animation
        (file[24], file[27]) = (side, side)
        return Data(file)
      }
      let rotated = try Data(contentsOf: UIKitTests.rotated)
      loader = WebP.ImageLoader(
        configuration: .ephemeral,
        transport: ScriptedTransport { request in
          switch request.url?.path {
          case "/0": [.head(200), .piece(files[0])]
          case "/1":
            [.head(200, ["Cache-Control": "no-store"]), .piece(files[1].prefix(300)), .piece(files[1].dropFirst(300))]
          case "/2": [.head(200), .piece(files[2])]
          default: [.head(404)]
          }
        }, maximumDecodedBytes: 300_000)
      let data = "data:image/webp;base64,\(rotated.base64EncodedString())"
      images = try [
        ("http://a/0", 120), ("http://a/1", 180), ("http://a/2", 240), ("http://a/3", 0), (data, 45),
      ].map { (try #require(URL(string: $0.0)), $0.1) }
    }

    @Test func sequencesEndWithoutLeaks() async throws {
      for seed in 0..<Self.count {
        var random = SplitMix(state: UInt64(seed))
        await run(&random, seed)
      }
    }

    private func run(_ random: inout SplitMix, _ seed: Int) async {
      var views: [UIImageView?] = (0..<3).map { _ in screen.view(30, 30) }
      let released = views.map { WeakView(view: $0) }
      var expected: [Double?] = views.map { _ in nil }
      func check(_ index: Int, _ event: Int) {
        guard let image = views[index]?.image else { return }
        let isExpected = expected[index].map { (image.size.width - $0).magnitude < 0.6 } ?? false
        #expect(isExpected, "seed \(seed), event \(event): \(image.size.width), not \(expected[index] ?? -1)")
      }
      for event in 0..<24 {
        let index = Int.random(in: 0..<3, using: &random)
        guard let view = views[index] else { continue }
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
          let (url, width) = images.randomElement(using: &random)!
          expected[index] = width
          view.setWebP(url, loader: loader)
        case 4:
          let side = [0.0, 10, 30, 60, 120].randomElement(using: &random)!
          view.frame.size = CGSize(width: side, height: side)
        case 5:
          view.cancelWebP()
          view.image = nil
          expected[index] = nil
        case 6: if view.superview == nil { screen.window.addSubview(view) } else { view.removeFromSuperview() }
        case 7: loader.removeDecodedImages()
        case 8: screen.window.isHidden.toggle()
        case 9: UIAccessibility.isReduceMotionEnabled.toggle()
        case 10:
          view.contentMode = [.scaleAspectFit, .scaleAspectFill, .center].randomElement(using: &random)!
        default: try? await Task.sleep(nanoseconds: 1_000_000)
        }
        if Bool.random(using: &random) { screen.window.layoutIfNeeded() }
        if Bool.random(using: &random) { CADisplayLink.refresh(seconds: 0.05) }
        await Task.yield()
        for index in views.indices { check(index, event) }
      }
      (screen.window.isHidden, UIAccessibility.isReduceMotionEnabled) = (false, false)
      for view in views { view?.removeFromSuperview() }
      views = []
      await screen.wait { released.allSatisfy { $0.view == nil } && CADisplayLink.running.isEmpty }
    }
  }
}

private struct WeakView {
  weak var view: UIImageView?
}

/// A generator with a seed (Steele, Lea and Flood: Fast splittable pseudorandom number generators).
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
