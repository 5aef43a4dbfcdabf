@_exported import CoreGraphics

open class NSImage: NSObject {
  public enum CacheMode: UInt, Sendable { case `default`, always, bySize, never }
  open var cacheMode = CacheMode.default
  public convenience init(cgImage: CGImage, size: NSSize) { self.init() }
  public convenience init(
    size: NSSize, flipped: Bool, drawingHandler: @escaping @Sendable (_ destination: NSRect) -> Bool
  ) { self.init() }
}

open class NSGraphicsContext: NSObject {
  open class var current: NSGraphicsContext? { nil }
  open var cgContext: CGContext { fatalError() }
}
