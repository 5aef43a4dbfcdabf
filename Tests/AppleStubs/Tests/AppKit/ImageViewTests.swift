import AppKit
import Foundation
import PureWebP
import Testing
import WebPLoading

@testable import WebPPlatform

/// Proves what image views show. Expected values: sizes computed by hand.
@MainActor @Suite(.serialized) struct ImageViewTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../..").standardizedFileURL
  /// 67 × 45 pixels, to be rotated clockwise.
  private static let rotated = root.appendingPathComponent(
    "Tests/WebPLoadingTests/Fixtures/profile-and-orientation.webp")

  private let window = NSWindow()
  private let content = NSView()
  private let loader = WebP.ImageLoader()

  init() { window.contentView = content }

  private func view(_ width: CGFloat, _ height: CGFloat) -> NSImageView {
    NSImageView(frame: NSRect(x: 0, y: 0, width: width, height: height))
  }

  private func wait(until condition: () -> Bool) async throws {
    while !condition() {
      content.layoutSubtreeIfNeeded()
      try await Task.sleep(nanoseconds: 500_000)
    }
  }

  @Test func imagesAreShownUpright() async throws {
    let view = view(300, 300)
    content.addSubview(view)
    view.setWebP(Self.rotated, loader: loader)
    try await wait { view.image?.pixels?.width == 45 && view.image?.pixels?.height == 67 }
    #expect(view.image?.size == NSSize(width: 22.5, height: 33.5))
  }
}
