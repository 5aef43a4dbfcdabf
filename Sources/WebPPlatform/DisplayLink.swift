#if canImport(UIKit) && !os(watchOS)
  import QuartzCore

  // In a file of its own, which tests without the Objective-C runtime replace.

  extension CADisplayLink {
    /// Creates a link that calls a closure. The link retains the closure until it is invalidated.
    @MainActor
    convenience init(_ refresh: @escaping @MainActor () -> Void) {
      self.init(target: DisplayLinkTarget(refresh), selector: #selector(DisplayLinkTarget.call))
    }
  }

  @MainActor
  private final class DisplayLinkTarget {
    private let refresh: @MainActor () -> Void

    init(_ refresh: @escaping @MainActor () -> Void) { self.refresh = refresh }

    @objc func call() { refresh() }
  }
#endif
