import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that a view shows the rows of an image without copies, in at most two bitmaps.
  /// Expected values: the decoder's image, and the addresses of the pixels that `CGDataProvider` has.
  @MainActor @Suite struct BitmapTests {
    let screen = Screen()

    /// Sends a file in 40 pieces, and calls a closure after each.
    private func load(_ view: UIImageView, _ file: Data, afterPiece: () -> Void = {}) async -> ScriptedTransport {
      let length = file.count / 40 + 1
      let pieces = stride(from: 0, to: file.count, by: length).map { file.dropFirst($0).prefix(length) }
      let gates = pieces.map { _ in Gate() }
      let transport = ScriptedTransport { _ in
        [.head(200)] + zip(pieces, gates).flatMap { [.piece($0), .wait($1)] }
      }
      let loader = WebP.ImageLoader(configuration: .ephemeral, transport: transport)
      var isComplete = false
      view.setWebP(URL(string: "http://a/b.webp"), loader: loader) { _ in isComplete = true }
      for (index, gate) in gates.enumerated() {
        await screen.wait { transport.pulledPieces == index + 1 }
        await screen.settle()
        afterPiece()
        gate.open()
      }
      await screen.wait { isComplete }
      return transport
    }

    /// Rows of 320 pixels are aligned, and rows of 171 pixels are not: the box is 192 × 128 pixels.
    @Test(arguments: [(300, nil), (42, .fit(width: 192, height: 128))] as [(CGFloat, WebP.OutputSize?)])
    func viewsShowTwoBitmaps(height: CGFloat, size: WebP.OutputSize?) async throws {
      let file = try Data(contentsOf: UIKitTests.root.appendingPathComponent("Benchmarks/Small/photo-q75.webp"))
      let view = screen.view(height * 1.4, height)
      var addresses: [Int] = []
      view.onImage = { image in
        if let data = image?.cgImage?.dataProvider?.data { addresses.append(data.address) }
      }
      weak var shown: CGImage?
      var pixels: Data?
      let transport = await load(view, file) {
        let image = view.image?.cgImage
        let isChanged = image != nil && image === shown && image?.pixels != pixels
        #expect(!isChanged)
        (shown, pixels) = (image, image?.pixels)
      }
      #expect(addresses.count > 5 && Set(addresses).count == 2)
      let expected = try WebP.decode(file, options: .init(format: .bgraPremultiplied, size: size))
      let isComplete = view.image?.cgImage?.pixels == Data(expected.pixels)
      #expect(isComplete && view.image?.cgImage.map { $0.bytesPerRow % 32 } == 0 && transport.requests.count == 1)
    }

    /// An app retains the image that is shown first. Its pixels do not change, and later images are complete.
    @Test func retainedImagesDoNotChange() async throws {
      let file = try Data(contentsOf: UIKitTests.root.appendingPathComponent("Benchmarks/Small/photo-q75.webp"))
      let view = screen.view(300, 300)
      var kept: [(image: CGImage, pixels: Data)] = []
      view.onImage = { image in
        guard let image = image?.cgImage, kept.count < 2 else { return }
        kept.append((image, image.pixels))
      }
      _ = await load(view, file)
      let isUnchanged = kept.allSatisfy { $0.image.pixels == $0.pixels }
      #expect(kept.count == 2 && isUnchanged)
      let expected = try WebP.decode(file, options: .init(format: .bgraPremultiplied))
      let isComplete = view.image?.cgImage?.pixels == Data(expected.pixels)
      #expect(isComplete)
    }
  }
}
