import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

/// All tests that share the display, one after another.
@MainActor @Suite(.serialized) struct UIKitTests {
  static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
  /// 640 × 480 pixels.
  static let still = root.appendingPathComponent("Benchmarks/Small/palette.webp")
  /// 67 × 45 pixels, to be rotated clockwise.
  static let rotated = root.appendingPathComponent("Tests/WebPLoadingTests/Fixtures/profile-and-orientation.webp")
  /// Five frames of 40 milliseconds each.
  static let animation = root.appendingPathComponent("Conformance/vectors/animation-corners-lossless.webp")

  static func loader(_ steps: ScriptedTransport.Step...) -> (WebP.ImageLoader, ScriptedTransport) {
    let transport = ScriptedTransport { _ in steps }
    return (WebP.ImageLoader(configuration: .ephemeral, transport: transport), transport)
  }

  /// A server that sends the first bytes of `still`, and the others after the gate opens.
  static func holding(after count: Int) throws -> (WebP.ImageLoader, ScriptedTransport, Gate) {
    let (file, gate) = (try Data(contentsOf: still), Gate())
    let (loader, transport) = loader(.head(200), .piece(file.prefix(count)), .wait(gate), .piece(file.dropFirst(count)))
    return (loader, transport, gate)
  }
}

/// A window, and the image views in it.
@MainActor final class Screen {
  let window = UIWindow(frame: CGRect(x: 0, y: 0, width: 390, height: 800))
  let loader = WebP.ImageLoader()

  func view(_ width: CGFloat, _ height: CGFloat, _ mode: UIView.ContentMode = .scaleAspectFit) -> UIImageView {
    let view = UIImageView(frame: CGRect(x: 0, y: 0, width: width, height: height))
    view.contentMode = mode
    window.addSubview(view)
    return view
  }

  /// Waits for a state, while layout passes and refreshes of the display take place. A state that is not reached after
  /// 100,000 refreshes, which take more than a minute, is a failure.
  func wait(until condition: () -> Bool, _ location: SourceLocation = #_sourceLocation) async {
    var refreshes = 0
    while !condition() {
      refreshes += 1
      if refreshes > 100_000 {
        Issue.record("the state is not reached", sourceLocation: location)
        return
      }
      window.layoutIfNeeded()
      CADisplayLink.refresh()
      try? await Task.sleep(nanoseconds: 500_000)
    }
  }

  /// Waits until what has begun is done, as far as it needs no more than some turns of all queues.
  func settle() async {
    for _ in 0..<20 {
      window.layoutIfNeeded()
      try? await Task.sleep(nanoseconds: 1_000_000)
    }
  }
}

extension UIImageView {
  /// The size of the shown image, in pixels.
  var pixels: [Int] { image?.cgImage.map { [$0.width, $0.height] } ?? [] }
}

extension WebP.ImageLoader {
  /// The address of an image that was decoded for a view of 300 × 225 pixels.
  func addressInMemory(_ url: URL) -> Int? {
    let options = Options(
      decoding: .init(format: .bgraPremultiplied, size: .fit(width: 320, height: 256), isUpright: true))
    return imageInMemory(for: url, options: options)?.image.drawable?.bytes.address
  }
}

extension NSData {
  var address: Int { unsafe Int(bitPattern: bytes) }
}
