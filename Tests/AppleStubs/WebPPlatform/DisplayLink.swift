#if canImport(UIKit)
  import QuartzCore

  extension CADisplayLink {
    /// Replaces WebPPlatform/DisplayLink.swift.
    @MainActor
    convenience init(_ refresh: @escaping @MainActor () -> Void) {
      self.init(target: refresh, selector: Selector { ($0 as? @MainActor () -> Void)?() })
    }
  }
#endif
