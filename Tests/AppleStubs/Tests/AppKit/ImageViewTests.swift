import Accessibility
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

  /// Waits for a state, at most for 100,000 turns, which take more than a minute.
  private func wait(until condition: () -> Bool, _ location: SourceLocation = #_sourceLocation) async throws {
    var turns = 0
    while !condition() {
      turns += 1
      try #require(turns <= 100_000, "the state is not reached", sourceLocation: location)
      content.layoutSubtreeIfNeeded()
      try await Task.sleep(nanoseconds: 500_000)
    }
  }

  @Test func imagesAreShownUpright() async throws {
    let view = view(300, 300)
    content.addSubview(view)
    view.setWebP(Self.rotated, loader: loader)
    try await wait { view.image?.pixels?.width == 45 && view.image?.pixels?.height == 67 }
    #expect(view.image?.size == NSSize(width: 45, height: 67))
  }

  /// 640 × 480 pixels.
  private static let still = root.appendingPathComponent("Benchmarks/Small/palette.webp")

  /// Without a window, the scale is not known. In the window, it is 2, and later 3.
  @Test func imagesAreDecodedForTheSizeOnTheScreen() async throws {
    let view = view(10, 10)
    var widths: Set<Int> = []
    view.onImage = { if let image = $0?.pixels { widths.insert(image.width) } }
    view.setWebP(Self.still, loader: loader, viewOptions: .init(scale: .ofScreen))
    content.addSubview(view)
    view.frame = NSRect(x: 0, y: 0, width: 160, height: 100)
    try await wait { view.image?.pixels?.width == 320 }
    #expect(view.image?.size == NSSize(width: 320, height: 240) && widths == [320])
    view.frame.size = NSSize(width: 240, height: 150)
    try await wait { view.image?.pixels?.width == 427 }
    window.backingScaleFactor = 3
    try await wait { view.image?.pixels?.width == 640 }
    let size = try #require(view.image?.size)
    #expect((size.width - 640.0 / 3).magnitude < 0.01 && widths == [320, 427, 640])
  }

  /// The main screen has 800 × 600 pixels. Without a screen, the image has its own size. UIView+WebCache.m, line 184:
  /// the completion does not depend on the view's size.
  @Test(arguments: [false, true]) func viewsWithoutWindowComplete(hasScreen: Bool) async throws {
    let screen = NSScreen.main
    defer { NSScreen.main = screen }
    if !hasScreen { NSScreen.main = nil }
    let view = view(10, 10)
    var count = 0
    view.setWebP(Self.still, loader: loader) { result in
      if case .success = result { count += 1 }
      #expect(view.image?.pixels?.width == 640)
    }
    try await wait { count == 1 }
    #expect(view.image?.size == NSSize(width: 640, height: 480))
    view.setWebP(Self.rotated, loader: loader) { _ in count += 1 }
    view.setWebP(Self.rotated, loader: loader) { _ in count += 1 }
    #expect(count == 2)
    try await wait { count == 3 }
  }

  /// A view that its image sizes.
  @Test func viewsWithoutBoundsGetTheFinalSizeFirst() async throws {
    let view = view(0, 0)
    content.addSubview(view)
    var images: [NSImage] = []
    view.onImage = {
      if let image = $0 { images.append(image) }
      view.frame.size = $0?.size ?? .zero
    }
    view.setWebP(Self.rotated, loader: loader)
    try await wait { images.count == 2 }
    try await Task.sleep(nanoseconds: 20_000_000)
    #expect(images.map(\.size) == Array(repeating: NSSize(width: 45, height: 67), count: 2))
    #expect(images.map { $0.pixels?.width } == [nil, 45])
  }

  /// A second view shows the image before the call returns, and shares the memory of the loader.
  @Test func imagesInMemoryAreShownImmediately() async throws {
    let options = WebP.ImageLoader.Options(
      decoding: .init(format: .bgraPremultiplied, size: .fit(width: 320, height: 256), isUpright: true))
    let views = [view(160, 100), view(160, 100)]
    for view in views { content.addSubview(view) }
    views[0].setWebP(Self.still, loader: loader)
    try await wait { views[0].image?.pixels?.width == 320 }
    views[1].setWebP(Self.still, loader: loader)
    let stored = loader.imageInMemory(for: Self.still, options: options)?.image.drawable?.bytes.address
    #expect(stored != nil && views.allSatisfy { $0.image?.pixels?.dataProvider?.data.address == stored })
  }

  /// Each setting, and a window that is covered, stop animations. Frames last 40 milliseconds.
  @Test(arguments: [0, 1, 2, 3]) func settingsStopAnimations(setting: Int) async throws {
    func apply(_ stops: Bool) {
      switch setting {
      case 0: NSWorkspace.shared.reducesMotion = stops
      case 1: animatedImages.value = !stops
      case 2: ProcessInfo.lowPower.value = stops
      default: window.occlusionState = stops ? [] : .visible
      }
    }
    apply(true)
    defer { apply(false) }
    let view = view(100, 100)
    content.addSubview(view)
    var count = 0
    view.onImage = { if $0 != nil { count += 1 } }
    view.setWebP(
      Self.root.appendingPathComponent("Conformance/vectors/animation-corners-lossless.webp"), loader: loader)
    try await wait { count > 0 }
    try await Task.sleep(nanoseconds: 100_000_000)
    #expect(count == 1)
    apply(false)
    try await wait { count > 3 }
  }
}

extension NSData {
  fileprivate var address: Int { unsafe Int(bitPattern: bytes) }
}
