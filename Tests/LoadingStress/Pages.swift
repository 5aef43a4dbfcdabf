import Foundation
import PureWebP
import TestSupport
import WebPLoading
import WebPPages

/// Pages of few bytes whose images have large canvases: animations of 8192 × 8192 pixels with a frame of one pixel.
struct Pages {
  private static let side = 8192

  /// Inlines pages with 1, 10 and 150 images, which have 169 to 25,000 bytes. Fails if the pixels that are written
  /// exceed the budget that `HTMLInliner.conversion` documents.
  func run() async {
    let image = Data(Self.animation).base64EncodedString()
    for count in [1, 10, 150] {
      // The fragments make the URLs differ.
      let page = Data((0..<count).map { "<img src=data:image/webp;base64,\(image)#\($0)>" }.joined().utf8)
      let inliner = WebP.HTMLInliner()
      let result = await inliner.inline(page, at: URL(string: "http://127.0.0.1/")!)
      let limits = inliner.conversion.limits
      let budget = limits.unrestrictedPixels + limits.maximumPixelsPerByte * page.count
      let written = result.inlined.count * Self.side * Self.side
      print("a page of \(page.count) bytes: \(written) pixels, budget \(budget)")
      guard written > 0, written <= budget, result.failures.count == count - result.inlined.count else {
        LoadingStress.fail("the page exceeds its budget, or no image is inlined")
      }
    }
  }

  private static var animation: [UInt8] {
    let pixel: [UInt8] = [0x2F, 0, 0, 0, 0x10, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0xFE, 0x07]
    let rectangle: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 2]
    return FileWriter.riff(
      FileWriter.vp8X(flags: 2, width: side, height: side),
      FileWriter.chunk("ANIM", [UInt8](repeating: 0, count: 6)),
      FileWriter.chunk("ANMF", rectangle + FileWriter.chunk("VP8L", pixel)))
  }
}
