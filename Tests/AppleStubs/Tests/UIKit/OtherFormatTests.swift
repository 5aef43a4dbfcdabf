import Foundation
import ImageIO
import PureWebP
import Testing
import UIKit
import WebPExport
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that images that ImageIO decodes have the size of their view, and their orientation and color space.
  /// Expected values: sizes computed by hand, and CGImageSource.h: the thumbnail is at most as large as requested.
  @MainActor @Suite struct OtherFormatTests {
    let screen = Screen()

    private func source(_ text: String) -> WebPSource { WebPSource(Data(text.utf8)) }

    @Test(arguments: [(1, [320, 240], [640, 480]), (6, [192, 256], [480, 640])])
    func thumbnailsHaveTheSizeOfTheView(orientation: Int, pixels: [Int], points: [CGFloat]) async throws {
      thumbnailSizes.value = []
      let view = screen.view(100, 75)
      view.setWebP(source("IMG 640 480 \(orientation) 1"), loader: screen.loader)
      await screen.wait { view.pixels == pixels }
      let size = view.image?.size ?? .zero
      #expect((size.width - points[0]).magnitude < 1 && (size.height - points[1]).magnitude < 1)
      #expect(thumbnailSizes.value == [pixels.max()])
      let image = try #require(view.image?.cgImage)
      // The upper left pixel, in the layout B G R A.
      let corner = Array(image.pixels.prefix(4))
      #expect(corner == (orientation == 1 ? [0, 0, 0, 255] : [0, 119, 0, 255]))
    }

    @Test func profilesAreKept() async throws {
      let loader = WebP.ImageLoader()
      for (text, profile) in [("IMG 64 48 1 1", [UInt8](repeating: 1, count: 128)), ("IMG 64 48 1 0", nil)] {
        let url = try #require(URL(string: "data:image/img;base64,\(Data(text.utf8).base64EncodedString())"))
        let loaded = try await loader.image(for: url)
        #expect(loaded.metadata.icc == profile && loaded.image.width == 64)
      }
    }

    /// CGColorSpace.h: both initializers may fail. CGImage.h: each image has a color space. So there is no image, the
    /// error is the one of `UIImage(webP:)`, and later loads show the image.
    @Test func missingColorSpacesFail() async {
      CGColorSpace.areMissing.value = true
      defer { CGColorSpace.areMissing.value = false }
      let view = screen.view(100, 75)
      var failures = 0
      view.setWebP(source("IMG 64 48 1 1"), loader: screen.loader) { if case .failure = $0 { failures += 1 } }
      await screen.wait { failures == 1 }
      for url in [UIKitTests.still, UIKitTests.animation] {
        var errors: [any Error] = []
        view.setWebP(url, loader: screen.loader) { if case .failure(let error) = $0 { errors.append(error) } }
        await screen.wait { !errors.isEmpty }
        await screen.settle()
        guard case WebP.ExportError.outOfMemory = errors[0], errors.count == 1, view.image == nil else {
          Issue.record("\(errors)")
          continue
        }
      }
      CGColorSpace.areMissing.value = false
      view.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { view.pixels == [320, 240] }
    }
  }
}
