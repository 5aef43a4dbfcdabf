// Double of QuartzCore: CABase.h, CADisplayLink.h, CALayer.h, CAAnimation.h (iOS 13). Layers and display links are not
// isolated there. The time is controlled by tests.
@_exported import CoreGraphics
@_exported import ObjectiveC

public typealias CFTimeInterval = Double

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CACurrentMediaTime() -> CFTimeInterval { CADisplayLink.time.value }

/// CADisplayLink.h: retains its target, and calls it once per refresh from `add` to `invalidate`. Meanwhile, the run
/// loop retains the link.
open class CADisplayLink: NSObject {
  /// The links that run, for tests.
  public static var running: [CADisplayLink] { links.value }
  private static let links = Setting<[CADisplayLink]>([])
  fileprivate static let time = Setting<CFTimeInterval>(1000)

  private var target: Any?
  private let selector: Selector
  private var next: CFTimeInterval = 0

  public init(target: Any, selector: Selector) {
    self.target = target
    self.selector = selector
  }

  open func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
    precondition(target != nil, "an invalidated link is not used again")
    Self.links.value.append(self)
  }

  /// CADisplayLink.h: removes the link from all run loops, which release it, and releases the target.
  open func invalidate() {
    Self.links.value.removeAll { $0 === self }
    target = nil
  }

  /// 0 for the rate of the display.
  open var preferredFramesPerSecond = 0

  /// Lets time pass, and calls the targets at 60 Hz or at their preferred rate, for tests.
  @MainActor public static func refresh(seconds: CFTimeInterval = 1.0 / 60) {
    for _ in 0..<max(1, Int((seconds * 60).rounded())) {
      time.value += 1.0 / 60
      for link in running where time.value >= link.next {
        link.next = link.preferredFramesPerSecond == 0 ? 0 : time.value + 1 / Double(link.preferredFramesPerSecond)
        if let target = link.target { link.selector.perform(target) }
      }
    }
  }
}

public struct CAMediaTimingFunctionName: Hashable, Sendable {
  let rawValue: String
  public static let linear = Self(rawValue: "linear")
  public static let easeIn = Self(rawValue: "easeIn")
  public static let easeOut = Self(rawValue: "easeOut")
  public static let easeInEaseOut = Self(rawValue: "easeInEaseOut")
}

open class CAMediaTimingFunction: NSObject {
  public let name: CAMediaTimingFunctionName
  public init(name: CAMediaTimingFunctionName) { self.name = name }
}

open class CAAnimation: NSObject {
  open var duration: CFTimeInterval = 0
  /// CAAnimation.h: nil means linear pacing.
  open var timingFunction: CAMediaTimingFunction?
}

open class CATransition: CAAnimation {
  open var type = CATransitionType.fade
}

public struct CATransitionType: Hashable, Sendable {
  let rawValue: String
  public static let fade = CATransitionType(rawValue: "fade")
}

open class CALayer: NSObject {
  /// All animations that were added, for tests.
  public private(set) var added: [CAAnimation] = []
  private var animations: [String: (animation: CAAnimation, end: CFTimeInterval)] = [:]

  /// CALayer.h: an animation replaces an earlier one with the same key.
  /// CAAnimation.h: `removedOnCompletion` "Defaults to YES".
  open func add(_ animation: CAAnimation, forKey key: String?) {
    added.append(animation)
    animations[key ?? UUID().uuidString] = (animation, CACurrentMediaTime() + animation.duration)
  }

  open func removeAnimation(forKey key: String) { animations[key] = nil }

  open func animationKeys() -> [String]? {
    let keys = animations.filter { $0.value.end > CACurrentMediaTime() }.keys.sorted()
    return keys.isEmpty ? nil : keys
  }
}
