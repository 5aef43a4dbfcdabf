import Foundation
import LoadingTestSupport
import PureWebP
import TestComparison
import TestSupport
import Testing
import WebPLoading

@testable import WebPPlatform

/// Proves which images a view receives, in which size, and which of them fade in.
/// Expected values: the decoder's images, and sizes computed by hand.
@MainActor @Suite struct ImagePresenterTests {
  /// Records what a view receives.
  @MainActor private final class View {
    var images: [WebP.Image] = []
    var fades: [Bool] = []
    var loaded = 0
    var errors = 0
    var cancellations = 0
    private let loader: WebP.ImageLoader
    private(set) var presenter: ImagePresenter<WebP.Image>?

    init(_ loader: WebP.ImageLoader = WebP.ImageLoader()) {
      self.loader = loader
      presenter = ImagePresenter(
        SleepingClock(), .init(image: { image, _ in image }, pixels: { pixels, _ in pixels.image }),
        onChange: { [weak self] in self?.add($0) })
      presenter?.setDisplayed(nil)
    }

    func setDisplayed(_ width: Double, _ height: Double, isCovered: Bool = false) {
      presenter?.setDisplayed(DecodedBox(width: width, height: height, isCovered ? .covers : .fits))
    }

    private func add(_ change: ImagePresenter<WebP.Image>.Change) {
      switch change {
      case .image(let image, _, let fadesIn):
        images.append(image)
        fades.append(fadesIn)
      case .failure: errors += 1
      case .loaded, .size, .needsSize, .progress: break
      }
    }

    func load(_ url: URL, _ options: WebP.ImageLoader.Options = .init(), scalesToView: Bool = true) {
      let load = ImageLoad(WebPSource(url), loader, options, .init(scalesToView: scalesToView))
      presenter?.load(load) { [weak self] in
        switch $0 {
        case .success: self?.loaded += 1
        case .failure(let error): if error is CancellationError { self?.cancellations += 1 }
        }
      }
    }

    /// Waits for an image of the given width that is complete, and for changes that must not follow.
    func shows(width: Int) async throws {
      for _ in 0..<100_000 where loaded == 0 || images.last?.width != width {
        try await Task.sleep(nanoseconds: 1_000_000)
      }
      try await Task.sleep(nanoseconds: 20_000_000)
      #expect(images.last?.width == width)
    }
  }

  private static let root = TestFile.folder.appendingPathComponent("../..").standardizedFileURL
  /// 640 × 480 pixels.
  private static let still = root.appendingPathComponent("Benchmarks/Small/palette.webp")
  private static let animation = root.appendingPathComponent("Conformance/vectors/animation-anim-twice.webp")

  @Test func imagesAreDecodedForTheView() async throws {
    let view = View()
    view.setDisplayed(200, 150)
    view.load(Self.still)
    try await view.shows(width: 256)
    #expect(view.images.last?.height == 192)
    // A smaller view, and a slightly larger one, need no other image.
    view.setDisplayed(100, 100)
    view.setDisplayed(256, 10)
    try await view.shows(width: 256)
    view.setDisplayed(400, 300)
    try await view.shows(width: 427)  // the height is 320
    // Then the image has its own size, so that no view is too large.
    view.setDisplayed(2000, 2000)
    try await view.shows(width: 640)
    let count = view.images.count
    view.setDisplayed(9000, 9000)
    try await view.shows(width: 640)
    #expect(view.images.count == count && view.loaded == 1)
  }

  /// An image from the memory has no placeholder with its size.
  @Test func imagesFromMemoryAreNotDecodedAgain() async throws {
    let view = View()
    view.setDisplayed(2000, 2000)
    let url = try #require(URL(string: "data:image/webp;base64,\(Data(contentsOf: Self.still).base64EncodedString())"))
    for count in 1...2 {
      view.load(url, .init(isProgressive: false))
      for _ in 0..<100_000 where view.images.count < count { try await Task.sleep(nanoseconds: 1_000_000) }
    }
    view.setDisplayed(9000, 9000)
    try await Task.sleep(nanoseconds: 200_000_000)
    #expect(view.images.count == 2 && view.loaded == 2)
  }

  @Test func sizesOfTheOptionsAreKept() async throws {
    let view = View()
    view.setDisplayed(200, 150)
    view.load(Self.still, .init(decoding: .init(size: .fit(width: 64))))
    try await view.shows(width: 64)
    view.load(Self.still, scalesToView: false)
    try await view.shows(width: 640)
  }

  /// Local files and cached images never fade in.
  @Test func localImagesDoNotFade() async throws {
    let view = View()
    view.load(Self.still, .init(isProgressive: false))
    try await view.shows(width: 640)
    #expect(view.fades == [false])
  }

  /// A view that is reused shows only the last image, and learns nothing of the others.
  @Test func reusedViewsShowTheLastImage() async throws {
    let view = View()
    for _ in 0..<20 { view.load(Self.still) }
    view.load(Self.animation)
    try await view.shows(width: 26)
    let expected = try WebP.decode(Data(contentsOf: Self.animation), options: .init(format: .bgraPremultiplied))
    expectSame(view.images.last, expected)
    #expect(view.images.allSatisfy { $0.width == expected.width })
    #expect(view.errors == 0 && view.loaded == 1 && view.cancellations == 20)
  }

  @Test func canceledLoadsShowNothing() async throws {
    let view = View()
    view.load(Self.still)
    view.presenter?.suspend()
    try await Task.sleep(nanoseconds: 50_000_000)
    #expect(view.images.isEmpty && view.loaded == 0 && view.errors == 0 && view.cancellations == 0)
    view.presenter?.resume()
    try await view.shows(width: 640)
    let count = view.images.count
    view.presenter?.suspend()
    view.presenter?.resume()  // a complete image is not loaded again
    try await view.shows(width: 640)
    #expect(view.images.count == count && view.loaded == 1)
    view.load(Self.animation)
    view.presenter?.cancel()
    view.presenter?.cancel()
    #expect(view.cancellations == 1 && view.loaded == 1)
  }

  @Test func animationsPlayWhenTheViewPermitsIt() async throws {
    let view = View()
    view.load(Self.animation)
    try await view.shows(width: 26)
    try await Task.sleep(nanoseconds: 100_000_000)
    #expect(Set(view.images).count == 1)
    view.presenter?.mayPlay = true
    for _ in 0..<100_000 where view.images.count < 6 { try await Task.sleep(nanoseconds: 1_000_000) }
    #expect(Set(view.images).count > 1)
    view.presenter?.mayPlay = false
    let count = view.images.count
    try await Task.sleep(nanoseconds: 150_000_000)
    #expect(view.images.count == count && view.fades.allSatisfy { !$0 })
  }

  /// The cache has an animation, which the server has replaced by a still image.
  @Test func replacedAnimationsStop() async throws {
    let (animation, still) = try (Data(contentsOf: Self.animation), Data(contentsOf: Self.still))
    let gate = Gate()
    let transport = ScriptedTransport {
      $0.value(forHTTPHeaderField: "If-None-Match") == nil
        ? [.head(200, ["ETag": "1"]), .piece(animation)] : [.wait(gate), .head(200), .piece(still)]
    }
    let loader = WebP.ImageLoader(cache: WebP.ImageCache(folder: nil), transport: transport)
    let url = try #require(URL(string: "http://a/b.webp"))
    _ = try await loader.data(for: url)
    let view = View(loader)
    view.presenter?.mayPlay = true
    view.load(url, .init(refreshesCached: true))
    for _ in 0..<100_000 where view.images.count < 4 { try await Task.sleep(nanoseconds: 1_000_000) }
    gate.open()
    try await view.shows(width: 640)
    let count = view.images.count
    for mayPlay in [false, true] { view.presenter?.mayPlay = mayPlay }
    try await Task.sleep(nanoseconds: 150_000_000)
    #expect(view.images.count == count && count >= 5)
  }

  @Test func failuresAreReported() async throws {
    let view = View()
    view.load(URL(fileURLWithPath: "/does/not/exist.webp"))
    for _ in 0..<100_000 where view.errors == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
    #expect(view.errors == 1 && view.images.isEmpty)
  }

  /// In views that UIKit hosts, SwiftUI reports the background from the beginning.
  @Test func playbackPausesInTheBackground() {
    var rule = PlaybackRule()
    let conditions = [
      ViewConditions(isInBackground: true), ViewConditions(), ViewConditions(isInBackground: true),
      ViewConditions(isOnScreen: false), ViewConditions(permitsAnimations: false),
    ]
    #expect(conditions.map { rule.mayPlay($0) } == [true, true, false, false, false])
  }

  /// Boxes have multiples of 64 pixels. An image of 400 × 100 has enough pixels for 128 × 64 in the box 128 × 128, but
  /// not to cover it.
  @Test func boxesAreComparedForAnImage() throws {
    let box = try #require(DecodedBox(width: 65, height: 100, .fits))
    #expect(box.outputSize(nil) == .fit(width: 128, height: 128))
    let low = try #require(DecodedBox(width: 128, height: 1, .fits))
    let covered = try #require(DecodedBox(width: 128, height: 128, .covers))
    let size = WebP.Size(width: 400, height: 100)
    #expect(box.density(size) == 0.32 && low.density(size) == 0.32 && covered.density(size) == 1)
    #expect(DecodedBox(width: 0, height: 0.5, .covers) == nil)
    #expect(DecodedBox(width: 0, height: 10, .fits)?.outputSize(size) == .fit(height: 64))
    // A photo covers the box. A panorama has twice the sides that fit, and four times the pixels.
    let limited = try #require(DecodedBox(width: 128, height: 128, .coversUpToTwice))
    #expect(limited.outputSize(nil) == .fill(width: 128, height: 128))
    #expect(limited.outputSize(.init(width: 400, height: 200)) == .fill(width: 128, height: 128))
    #expect(limited.outputSize(size) == .fit(width: 256, height: 256) && limited.density(size) == 0.64)
  }

  @Test func prefetchedFilesAreCounted() async throws {
    let prefetcher = WebPPrefetcher(loader: WebP.ImageLoader())
    prefetcher.prefetch([Self.still, Self.animation, Self.still])
    #expect(prefetcher.count == 2)
    prefetcher.cancel([Self.still])
    #expect(prefetcher.count == 1)
    for _ in 0..<10_000 where prefetcher.count > 0 { try await Task.sleep(nanoseconds: 1_000_000) }
    #expect(prefetcher.count == 0)
  }
}
