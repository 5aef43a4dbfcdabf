import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that each load is completed once, in the order that apps rely on, and that a view shows what was set last.
  /// Expected values: what SDWebImage 5.21.5, Kingfisher 8.11, Nuke 13 and AlamofireImage 4.4 do, at the cited lines.
  @MainActor @Suite struct CompletionTests {
    let screen = Screen()

    /// A result, as a text.
    private static func name(_ result: Result<WebP.ImageLoader.Loaded, any Error>) -> String {
      switch result {
      case .success: "loaded"
      case .failure(let error): error is CancellationError ? "canceled" : "failed"
      }
    }

    // MARK: Views without a size

    /// A view of a table cell, which has the size of its image in the layout of the cell.
    private final class Cell: UIView {
      let photo = UIImageView()
      override func layoutSubviews() { photo.frame.size = photo.image?.size ?? .zero }
    }

    enum Place: CaseIterable { case banner, hiddenInStack, cell, marker, hidden, sizedButUnplaced }

    /// UIView+WebCache.m, line 184: the completion does not depend on the view's size. The bounds of the screen are
    /// 98 × 211 pixels, rounded up to 128 × 256.
    @Test(arguments: Place.allCases) func viewsWithoutSizeComplete(place: Place) async {
      screen.window.screen = UIScreen(scale: 0.25)
      let cell = Cell()
      let view = place == .cell ? cell.photo : UIImageView()
      view.contentMode = .scaleAspectFit
      switch place {
      case .banner:
        view.frame.size = CGSize(width: 390, height: 0)
        screen.window.addSubview(view)
      case .hiddenInStack:
        let stack = UIStackView()
        view.isHidden = true
        stack.addArrangedSubview(view)
        screen.window.addSubview(stack)
      case .cell:
        cell.addSubview(view)
        screen.window.addSubview(cell)
      case .marker: break
      case .hidden:
        view.isHidden = true
        screen.window.addSubview(view)
      case .sizedButUnplaced: view.frame.size = CGSize(width: 20, height: 15)
      }
      var results: [String] = []
      view.setWebP(UIKitTests.still, loader: screen.loader) { result in
        results.append(Self.name(result))
        if place == .banner { view.frame.size.height = 400 }
      }
      await screen.wait { !results.isEmpty }
      await screen.settle()
      #expect(results == ["loaded"])
      // Views outside of a window have the main screen with 3 pixels per point.
      let size: [Int] =
        switch place {
        case .banner, .hiddenInStack, .hidden: [128, 96]
        case .cell: [171, 128]  // 640 × 480 points with 0.25 pixels each fit in 192 × 128 pixels
        case .marker: [640, 480]
        case .sizedButUnplaced: [64, 48]
        }
      let shown = view.pixels
      #expect(shown == size)
      let points = view.image?.size ?? .zero
      #expect((points.width - 640).magnitude < 2 && (points.height - 480).magnitude < 2)
    }

    /// The image in memory is too small, and is shown until the view has a size, which never happens.
    @Test func viewsWithoutSizeCompleteFromMemory() async {
      let small = screen.view(20, 15)
      small.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { small.pixels == [64, 48] }
      let marker = UIImageView()
      var results: [String] = []
      marker.setWebP(UIKitTests.still, loader: screen.loader) { results.append(Self.name($0)) }
      #expect(marker.pixels == [64, 48] || marker.pixels == [640, 480])
      await screen.wait { results == ["loaded"] }
      #expect(marker.pixels == [640, 480])
    }

    // MARK: Order

    /// UIView+WebCache.m, line 248, and ImageViewExtensions.swift of Nuke, line 301: the image is set before the
    /// completion. Nuke calls it before the call returns if the image is in memory (line 283).
    @Test func imagesAreSetBeforeTheCompletion() async throws {
      let own = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      for _ in 0..<2 {
        let view = screen.view(100, 75)
        var pixels: [[Int]] = []
        view.setWebP(UIKitTests.still, loader: screen.loader, placeholder: own) { _ in
          pixels.append(view.pixels)
          view.image = own
        }
        await screen.wait { !pixels.isEmpty }
        await screen.settle()
        #expect(pixels == [[320, 240]] && view.image === own)
      }
    }

    /// The completion of an image that is not shown sets its own one, also if the image is in memory.
    @Test func imagesThatAreNotShownAreSetByTheCompletion() async throws {
      let (own, gray) = try (
        UIImage(webP: Data(contentsOf: UIKitTests.rotated)), UIImage(webP: Data(contentsOf: UIKitTests.still))
      )
      for _ in 0..<2 {
        let view = screen.view(100, 75)
        var count = 0
        view.setWebP(
          UIKitTests.still, loader: screen.loader, placeholder: gray, viewOptions: .init(showsImage: false)
        ) { _ in
          count += 1
          view.image = own
        }
        await screen.wait { count == 1 }
        await screen.settle()
        #expect(view.image === own && count == 1)
      }
    }

    /// HasImageComponent+Kingfisher.swift, line 406, and ImageViewExtensions.swift of Nuke, line 268.
    @Test func missingURLsFail() throws {
      let view = screen.view(100, 75)
      let gray = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      var errors: [NSError] = []
      view.setWebP(nil, loader: screen.loader, placeholder: gray) {
        if case .failure(let error) = $0 { errors.append(error as NSError) }
      }
      #expect(errors.map(\.domain) == ["NSURLErrorDomain"] && errors.map(\.code) == [-1000] && view.image === gray)
    }

    // MARK: Leaving and joining

    /// UIImageView+AlamofireImage.swift, line 270: the download of the same URL goes on. A replaced call completes, as
    /// in HasImageComponent+Kingfisher.swift, line 444.
    @Test func theSameURLContinues() async throws {
      let (loader, transport, gate) = try UIKitTests.holding(after: 600)
      let view = screen.view(100, 75)
      let gray = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      var results: [String] = []
      for index in 0..<4 {
        view.setWebP(
          URL(string: "http://a/b.webp"), loader: loader, placeholder: gray,
          viewOptions: .init(fade: .init(seconds: Double(index + 1)))
        ) { results.append("\(index) \(Self.name($0))") }
        #expect(results.count == index)
        await screen.settle()
      }
      gate.open()
      await screen.wait { results.count == 4 }
      #expect(results == ["0 canceled", "1 canceled", "2 canceled", "3 loaded"])
      #expect(transport.requests.count == 1 && view.pixels == [320, 240])
    }

    /// Another size, and another loader of the view, need other pixels. The first one shares the download.
    @Test func otherPixelsShareTheDownload() async throws {
      let (loader, transport, gate) = try UIKitTests.holding(after: 600)
      let view = screen.view(100, 75)
      var results: [String] = []
      view.setWebP(URL(string: "http://a/b.webp"), loader: loader) { results.append(Self.name($0)) }
      await screen.wait { transport.pulledPieces == 1 }
      view.setWebP(
        URL(string: "http://a/b.webp"), loader: loader, options: .init(decoding: .init(size: .fit(width: 50)))
      ) { results.append(Self.name($0)) }
      await screen.settle()
      gate.open()
      await screen.wait { results.count == 2 }
      #expect(results == ["canceled", "loaded"] && view.pixels.first == 50 && transport.requests.count == 1)
    }

    /// SDWebImageDownloaderOperation.m, line 296: a canceled download completes with an error.
    @Test func canceledLoadsCompleteOnce() async throws {
      let (loader, _) = UIKitTests.loader(.wait(Gate()))
      var view: UIImageView? = screen.view(100, 75)
      var results: [String] = []
      view?.setWebP(URL(string: "http://a/1"), loader: loader) { results.append("1 " + Self.name($0)) }
      view?.setWebP(URL(string: "http://a/2"), loader: loader) { results.append("2 " + Self.name($0)) }
      #expect(results == ["1 canceled"])
      view?.cancelWebP()
      view?.cancelWebP()
      #expect(results == ["1 canceled", "2 canceled"])
      view?.setWebP(URL(string: "http://a/3"), loader: loader) { results.append("3 " + Self.name($0)) }
      view?.removeFromSuperview()
      view = nil
      await screen.wait { results.count == 3 }
      #expect(results.last == "3 canceled")
    }

    /// A list that shows another URL after each failure. The call in the closure is the last one.
    @Test func completionsMayLoadAgain() async {
      let view = screen.view(100, 75)
      var results: [String] = []
      let (loader, _) = UIKitTests.loader(.wait(Gate()))
      view.setWebP(URL(string: "http://a/1"), loader: loader) { result in
        results.append("1 " + Self.name(result))
        view.setWebP(UIKitTests.still, loader: self.screen.loader) { results.append("2 " + Self.name($0)) }
      }
      view.setWebP(URL(string: "http://a/3"), loader: loader) { results.append("3 " + Self.name($0)) }
      await screen.wait { results.count == 3 }
      #expect(results == ["1 canceled", "3 canceled", "2 loaded"] && view.pixels == [320, 240])
    }

    /// The progress of one download goes to the last call.
    @Test func progressIsReplaced() async throws {
      let (file, gates) = (try Data(contentsOf: UIKitTests.still), [Gate(), Gate()])
      let (loader, _) = UIKitTests.loader(
        .head(200), .piece(file.prefix(100)), .wait(gates[0]), .piece(file[100..<200]), .wait(gates[1]),
        .piece(file.dropFirst(200)))
      let view = screen.view(100, 75)
      let counts = Counts()
      var results: [String] = []
      for index in 0..<2 {
        view.setWebP(
          URL(string: "http://a/b.webp"), loader: loader,
          options: .init(onProgress: { counts.add(index, $0.receivedBytes) })
        ) { results.append("\(index) " + Self.name($0)) }
        if index == 1 { gates[0].open() }
        await screen.wait { counts.all.contains { $0.0 == index } }
      }
      gates[1].open()
      await screen.wait { results.count == 2 }
      #expect(results == ["0 canceled", "1 loaded"])
      #expect(counts.all.map(\.0) == [0, 1, 1] && counts.all.map(\.1) == [100, 200, file.count])
    }

    private final class Counts: @unchecked Sendable {
      private let lock = NSLock()
      private var values: [(Int, Int)] = []
      func add(_ index: Int, _ count: Int) { lock.withLock { values.append((index, count)) } }
      var all: [(Int, Int)] { lock.withLock { values } }
    }

    // MARK: Images of the app

    /// A list that empties its cells, or shows its own image. SDAnimatedImageView.m stops when its image is set.
    @Test(arguments: [false, true]) func animationsDoNotReplaceImagesOfTheApp(isNil: Bool) async throws {
      let view = screen.view(100, 100)
      view.setWebP(UIKitTests.animation, loader: screen.loader)
      let first = view.image
      await screen.wait { view.image != nil && view.image !== first }
      let own = isNil ? nil : try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      view.image = own
      for _ in 0..<3 {
        CADisplayLink.refresh(seconds: 1)
        await screen.settle()
      }
      #expect(view.image === own && CADisplayLink.running.isEmpty)
    }

    /// UIView+WebCache.m, line 248: the complete image is set, whatever is shown meanwhile. Rows are not.
    @Test func onlyCompleteImagesReplaceImagesOfTheApp() async throws {
      let (file, gates) = (try Data(contentsOf: UIKitTests.still), [Gate(), Gate()])
      let (loader, transport) = UIKitTests.loader(
        .head(200), .piece(file.prefix(60)), .wait(gates[0]), .piece(file[60..<file.count - 10]), .wait(gates[1]),
        .piece(file.suffix(10)))
      let own = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      let view = screen.view(100, 75)
      view.setWebP(URL(string: "http://a/b.webp"), loader: loader)
      view.image = own
      await screen.settle()
      gates[0].open()
      await screen.wait { transport.pulledPieces == 2 }
      await screen.settle()
      #expect(view.image === own)
      gates[1].open()
      await screen.wait { view.pixels == [320, 240] }
      // Another size of the image is no new image.
      view.image = own
      view.frame.size = CGSize(width: 300, height: 300)
      await screen.settle()
      #expect(view.image === own)
    }

    // MARK: Appearance

    /// `SDImageScaleFactorForKey` (SDWebImageDefine.m): 2 for "@2x." in the name, otherwise 1.
    @Test func namesDetermineThePoints() async throws {
      let (loader, _) = UIKitTests.loader(.head(200), .piece(try Data(contentsOf: UIKitTests.still)))
      let cases: [(String, WebPViewOptions.Scale, CGFloat)] = [
        ("b.webp", .ofName, 640), ("b@2x.webp", .ofName, 320), ("b@3x.webp", .ofScreen, 640.0 / 3),
        ("b.webp", .number(4), 160),
      ]
      for (name, scale, width) in cases {
        let view = screen.view(300, 300)
        view.setWebP(URL(string: "http://a/\(name)"), loader: loader, viewOptions: .init(scale: scale))
        await screen.wait { view.pixels == [640, 480] }
        #expect(view.image.map { ($0.size.width - width).magnitude < 0.1 } == true)
        // The reserved size is the same.
        let (stack, sized) = (UIStackView(frame: screen.window.bounds), UIImageView())
        stack.addArrangedSubview(sized)
        screen.window.addSubview(stack)
        var widths: Set<Int> = []
        sized.onImage = { if let image = $0 { widths.insert(Int(image.size.width.rounded())) } }
        sized.setWebP(URL(string: "http://a/\(name)"), loader: loader, viewOptions: .init(scale: scale))
        await screen.wait { sized.image?.cgImage?.pixels.contains { $0 != 0 } == true }
        #expect(widths == [Int(width.rounded())])
      }
    }

    /// The hook changes each image that is shown, as ImageModifier of Kingfisher does: rows, the image, and frames.
    @Test func modifiersChangeEachImage() async throws {
      let view = screen.view(100, 100)
      view.webPModifier = { UIImage(cgImage: $0.cgImage!, scale: $0.scale, orientation: .upMirrored) }
      var orientations: Set<UIImage.Orientation> = []
      var count = 0
      view.onImage = {
        if let image = $0 { orientations.insert(image.imageOrientation) }
        count += 1
      }
      view.setWebP(UIKitTests.animation, loader: screen.loader)
      await screen.wait { count > 5 }
      #expect(orientations == [.upMirrored])
      view.setWebP(UIKitTests.still, loader: screen.loader)
      await screen.wait { view.pixels == [320, 240] }
      #expect(orientations == [.upMirrored])
    }

    /// `SDWebImageTransformAnimatedImage` (SDWebImageDefine.h): animations are transformed only with this option.
    @Test func modifiersSkipAnimations() async {
      let options = WebPImageOptions()
      options.modifiesAnimations = false
      WebP.ImageLoader.shared = screen.loader
      let view = screen.view(100, 100)
      view.webPModifier = { UIImage(cgImage: $0.cgImage!, scale: $0.scale, orientation: .upMirrored) }
      var images: [UIImage] = []
      view.onImage = { if let image = $0 { images.append(image) } }
      view.load(WebPSource(UIKitTests.animation), nil, options, nil, nil)
      await screen.wait { images.count > 5 }
      #expect(images.allSatisfy { $0.imageOrientation == .up })
      view.load(WebPSource(UIKitTests.still), nil, options, nil, nil)
      await screen.wait { view.pixels == [320, 240] }
      #expect(view.image?.imageOrientation == .upMirrored)
    }

    /// ImageViewExtensions.swift of Nuke, line 319.
    @Test func failuresShowTheirImage() async throws {
      let (failure, gray) = try (
        UIImage(webP: Data(contentsOf: UIKitTests.rotated)), UIImage(webP: Data(contentsOf: UIKitTests.rotated))
      )
      let view = screen.view(100, 100)
      view.webPFailureImage = failure
      var shown: UIImage?
      view.setWebP(URL(fileURLWithPath: "/none"), loader: screen.loader, placeholder: gray) { _ in shown = view.image }
      #expect(view.image === gray)
      await screen.wait { shown != nil }
      #expect(shown === failure && view.image === failure)
    }

    /// ImageViewExtensions.swift of Nuke, line 256: a reused view has no animations.
    @Test func reuseRemovesTheFade() async throws {
      let (loader, _) = UIKitTests.loader(.head(200), .piece(try Data(contentsOf: UIKitTests.still)))
      let view = screen.view(100, 75)
      let options = WebPViewOptions(fade: .init(seconds: 10_000))
      for ends in [{ view.cancelWebP() }, { view.setWebP(UIKitTests.still, loader: self.screen.loader) }] {
        loader.removeDecodedImages()
        await screen.settle()
        view.setWebP(URL(string: "http://a/b.webp"), loader: loader, viewOptions: options)
        await screen.wait { view.layer.animationKeys() != nil }
        ends()
        #expect(view.layer.animationKeys() == nil)
      }
    }

    /// Data and requests have the same path as URLs.
    @Test func dataAndRequestsAreShown() async throws {
      let file = try Data(contentsOf: UIKitTests.still)
      let (loader, transport) = UIKitTests.loader(.head(200), .piece(file))
      let (view, other) = (screen.view(100, 75), screen.view(100, 75))
      view.setWebP(WebPSource(file), loader: loader)
      await screen.wait { view.pixels == [320, 240] }
      #expect(transport.requests.isEmpty && view.layer.added.isEmpty)
      var request = URLRequest(url: try #require(URL(string: "http://a/b.webp")))
      request.setValue("c", forHTTPHeaderField: "X-Token")
      other.setWebP(WebPSource(request), loader: loader)
      await screen.wait { other.pixels == [320, 240] }
      #expect(transport.requests.first?.value(forHTTPHeaderField: "X-Token") == "c")
    }
  }
}
