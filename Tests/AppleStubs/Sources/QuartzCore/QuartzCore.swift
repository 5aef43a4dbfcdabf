// Declarations of QuartzCore: CABase.h, CADisplayLink.h, CALayer.h, CAAnimation.h (iOS 13). Layers and display links
// are not isolated there.
@_exported import CoreGraphics
@_exported import ObjectiveC

// swift-format-ignore: AlwaysUseLowerCamelCase
public func CACurrentMediaTime() -> CFTimeInterval { 0 }

public typealias CFTimeInterval = Double

open class CADisplayLink: NSObject {
  /// Retains the target.
  public init(target: Any, selector: Selector) {}
  open func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {}
  open func invalidate() {}
  open var preferredFramesPerSecond = 0
}

open class CAAnimation: NSObject {
  open var duration: CFTimeInterval = 0
}

open class CATransition: CAAnimation {
  open var type = CATransitionType.fade
}

public struct CATransitionType: Hashable, Sendable {
  let rawValue: String
  public static let fade = CATransitionType(rawValue: "fade")
}

open class CALayer: NSObject {
  open func add(_ animation: CAAnimation, forKey key: String?) {}
}
