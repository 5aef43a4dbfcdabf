import Foundation
import LoadingTestSupport
import PureWebP
import Testing
import UIKit
import WebPLoading

@testable import WebPPlatform

extension UIKitTests {
  /// Proves that five apps, which do at random what apps do, complete each load once, show the right image last, never
  /// show a frame of another image, and leak nothing.
  /// Expected values: the widths of the images, which differ from each other.
  ///
  /// `STEPS` sets the number of steps of all apps together; the nightly run has 10,000.
  @MainActor @Suite struct AppTests {
    private static let steps = ProcessInfo.processInfo.environment["STEPS"].flatMap { Int($0) } ?? 1_000

    @Test(arguments: ["chat", "feed", "banner", "avatars", "map"]) func appsShowWhatTheySet(name: String) async throws {
      let app = try TestApp(name)
      for _ in 0..<Self.steps / 5 { await app.step() }
      await app.end()
    }
  }
}

/// The state of an app: its views, and what it expects of them.
@MainActor private final class TestApp {
  /// One view of the app.
  @MainActor
  private final class Slot {
    var view: UIImageView? = UIImageView()
    /// The width of the image that the app has requested last. Nil if there is none, or it fails.
    var width: Double?
    /// An image that the app has set itself.
    var own: UIImage?
    /// The number of the last load.
    var load: Int?
  }

  private let name: String
  private let screen = Screen()
  private let loader: WebP.ImageLoader
  private let images: [(url: URL, width: Double?)]
  private let gates = Gates()
  private let placeholder: UIImage
  private var random = SplitMix(state: 7)
  private var slots: [Slot] = []
  private var models: [WebPImageModel] = []
  private var modelWidths: [Double?] = []
  /// The number of completions of each load, and whether the last one was a success.
  private var completions: [Int] = []
  private var succeeded: Set<Int> = []
  private var loadCounts: [Int] = []
  private let released = Released()

  init(_ name: String) throws {
    self.name = name
    placeholder = try UIImage(webP: Data(contentsOf: UIKitTests.rotated))
    let animation = [UInt8](try Data(contentsOf: UIKitTests.animation))
    // Canvases of 120, 180 and 240 pixels.
    var files = [119, 179, 239].map { (side: UInt8) in
      var file = animation
      (file[24], file[27]) = (side, side)
      return Data(file)
    }
    let still = "Conformance/vectors/encoder-pillow-lossy-alpha.webp"
    files.append(try Data(contentsOf: UIKitTests.root.appendingPathComponent(still)))
    let gates = gates
    loader = WebP.ImageLoader(
      configuration: .ephemeral,
      transport: ScriptedTransport { [files] request in
        guard let index = request.url.flatMap({ Int($0.lastPathComponent) }), index < files.count else {
          return [.wait(gates.add()), .head(404)]
        }
        let fields = index % 2 == 0 ? [:] : ["Cache-Control": "no-store"]
        let (file, gate) = (files[index], gates.add())
        return [.head(200, fields), .piece(file.prefix(200)), .wait(gate), .piece(file.dropFirst(200))]
      }, maximumDecodedBytes: 400_000)
    let data = "data:image/webp;base64,\(try Data(contentsOf: UIKitTests.rotated).base64EncodedString())"
    images = try [
      ("http://a/0", 120), ("http://a/1", 180), ("http://a/2", 240), ("http://a/3", 67), ("http://a/4", nil),
      (data, 45),
    ].map { (try #require(URL(string: $0.0)), $0.1) }
    guard name != "avatars" else { return }
    for index in 0..<5 { slots.append(makeSlot(index)) }
  }

  private func makeSlot(_ index: Int) -> Slot {
    let slot = Slot()
    guard let view = slot.view else { return slot }
    released.add(view)
    view.contentMode = .scaleAspectFill
    switch name {
    case "map": break  // markers are in no hierarchy
    case "banner":
      view.frame = CGRect(x: 0, y: 100 * index, width: 390, height: 0)
      screen.window.addSubview(view)
    default:
      view.frame = CGRect(x: 0, y: 100 * index, width: 40, height: 40)
      screen.window.addSubview(view)
    }
    view.onImage = { [weak slot] image in
      guard let slot, let image, image !== slot.own, image.cgImage !== slot.own?.cgImage else { return }
      let isExpected = slot.width.map { (image.size.width - $0).magnitude < 2.5 } ?? false
      #expect(isExpected || image.size.width == 45, "\(image.size), not \(slot.width ?? -1)")
    }
    return slot
  }

  private func load(_ slot: Slot, _ image: (url: URL, width: Double?)) {
    guard let view = slot.view else { return }
    let number = completions.count
    completions.append(0)
    (slot.width, slot.load) = (image.width, number)
    slot.own = nil
    let isBanner = name == "banner"
    view.setWebP(image.url, loader: loader, placeholder: Bool.random(using: &random) ? placeholder : nil) {
      [weak self, weak view] result in
      self?.completions[number] += 1
      guard case .success = result, let view else { return }
      self?.succeeded.insert(number)
      let isShown = view.image.map { ($0.size.width - (image.width ?? -1)).magnitude < 2.5 } ?? false
      #expect(isShown, "the completion finds \(view.image?.size ?? .zero), not \(image.width ?? -1)")
      if isBanner { view.frame.size.height = 60 }
    }
  }

  func step() async {
    if name == "avatars" { avatarStep() } else { viewStep() }
    if Int.random(in: 0..<4, using: &random) == 0 { gates.openOne() }
    switch Int.random(in: 0..<40, using: &random) {
    case 0: loader.removeDecodedImages()
    case 1: UIAccessibility.isReduceMotionEnabled.toggle()
    case 2: NotificationCenter.default.post(name: UIApplication.didReceiveMemoryWarningNotification, object: nil)
    case 3: screen.window.isHidden.toggle()
    case 4...9: try? await Task.sleep(nanoseconds: 500_000)
    default: break
    }
    if Bool.random(using: &random) { CADisplayLink.refresh(seconds: 0.05) }
    await Task.yield()
  }

  private func viewStep() {
    let index = Int.random(in: 0..<slots.count, using: &random)
    let slot = slots[index]
    guard let view = slot.view else { return }
    switch Int.random(in: 0..<17, using: &random) {
    case 0...4: load(slot, images.randomElement(using: &random)!)
    case 5:  // the list reloads
      for slot in slots { if let number = slot.load { load(slot, image(number, slot)) } }
    case 6:
      view.cancelWebP()
      (slot.width, slot.own, slot.load) = (nil, nil, nil)
      view.image = nil
    case 7:
      slot.own = UIImage(cgImage: CGImage(withoutPixels: 7, height: 7), scale: 1, orientation: .up)
      view.image = slot.own
    case 8:
      if name == "map" { break }
      if view.superview == nil { screen.window.addSubview(view) } else { view.removeFromSuperview() }
    case 9: view.frame.size.height = [0, 30, 120].randomElement(using: &random)!
    case 10: view.isHidden.toggle()
    case 11: if Bool.random(using: &random) { view.playWebP() } else { view.pauseWebP() }
    case 12:
      view.removeFromSuperview()
      slot.view = nil
      slots[index] = makeSlot(index)
    case 13: view.contentMode = [.scaleAspectFit, .scaleAspectFill, .center].randomElement(using: &random)!
    default: break
    }
  }

  /// The image of the last load of a view.
  private func image(_ number: Int, _ slot: Slot) -> (url: URL, width: Double?) {
    images.first { $0.width == slot.width } ?? images[4]
  }

  private func avatarStep() {
    switch Int.random(in: 0..<8, using: &random) {
    case 0...1:
      let image = images.randomElement(using: &random)!
      let number = loadCounts.count
      loadCounts.append(0)
      let model = WebPImageModel(WebPSource(image.url), loader, .init(), .init(), fits: false) { [weak self] loaded in
        self?.loadCounts[number] += 1
        #expect(image.width != nil)
      }
      released.add(model)
      models.append(model)
      modelWidths.append(image.width)
      if models.count > 6 {
        models.removeFirst()
        modelWidths.removeFirst()
      }
    case 2...4:
      let side = [0, 40, 90, 300].randomElement(using: &random)!
      let isOnScreen = Bool.random(using: &random)
      models.randomElement(using: &random)?.update(
        ViewConditions(width: Double(side), height: Double(side), isOnScreen: isOnScreen))
    case 5: models.randomElement(using: &random)?.stop()
    case 6: models.randomElement(using: &random)?.resume()
    default: break
    }
    for (model, width) in zip(models, modelWidths) {
      guard let shown = model.shown else { continue }
      let full = Double(shown.image.width) / shown.density
      let isExpected = width.map { (full - $0).magnitude < 3 } ?? false
      #expect(isExpected, "\(full), not \(width ?? -1)")
    }
  }

  /// Opens all gates, and checks what is shown last.
  func end() async {
    (screen.window.isHidden, UIAccessibility.isReduceMotionEnabled) = (false, false)
    gates.openAll()
    await screen.wait { self.slots.allSatisfy { $0.load.map { self.completions[$0] == 1 } ?? true } }
    #expect(completions.allSatisfy { $0 <= 1 })
    for slot in slots where slot.own == nil {
      guard let number = slot.load, succeeded.contains(number), let width = slot.width else { continue }
      let isShown = slot.view?.image.map { ($0.size.width - width).magnitude < 2.5 } ?? false
      #expect(isShown, "\(slot.view?.image?.size ?? .zero), not \(width)")
    }
    for model in models {
      model.update(ViewConditions(width: 40, height: 40))
      model.resume()
    }
    await screen.wait {
      zip(self.models, self.modelWidths).allSatisfy { model, width in
        if width == nil, case .failure = model.phase { return true }
        return model.shown != nil
      }
    }
    #expect(loadCounts.allSatisfy { $0 <= 1 })
    for slot in slots { slot.view?.removeFromSuperview() }
    (slots, models) = ([], [])
    await screen.wait { self.released.isEmpty && CADisplayLink.running.isEmpty && !self.completions.contains(0) }
    #expect(completions.allSatisfy { $0 == 1 })
  }
}

/// The gates of all requests, which the test opens.
private final class Gates: @unchecked Sendable {
  private let lock = NSLock()
  private var closed: [Gate] = []
  private var isOpen = false

  func add() -> Gate {
    let gate = Gate()
    let opens = lock.withLock {
      if !isOpen { closed.append(gate) }
      return isOpen
    }
    if opens { gate.open() }
    return gate
  }

  func openOne() { lock.withLock { closed.isEmpty ? nil : closed.removeFirst() }?.open() }

  func openAll() {
    let gates = lock.withLock {
      isOpen = true
      defer { closed = [] }
      return closed
    }
    for gate in gates { gate.open() }
  }
}

/// The objects that have to be released.
@MainActor private final class Released {
  private struct Weak { weak var object: AnyObject? }
  private var objects: [Weak] = []

  func add(_ object: AnyObject) { objects.append(Weak(object: object)) }
  var isEmpty: Bool { objects.allSatisfy { $0.object == nil } }
}

/// A generator with a seed (Steele, Lea and Flood: Fast splittable pseudorandom number generators).
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
