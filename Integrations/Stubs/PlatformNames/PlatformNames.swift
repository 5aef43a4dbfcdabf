// The names by which the stubs use UIKit and AppKit alike.
#if canImport(UIKit)
  @_exported import UIKit
#else
  @_exported import AppKit

  public typealias UIImage = NSImage

  extension NSImage {
    public enum Orientation: Sendable { case up }

    /// SDWebImage declares this initializer too (Core/NSImage+Compatibility.h).
    public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
      self.init(
        cgImage: cgImage, size: NSSize(width: CGFloat(cgImage.width) / scale, height: CGFloat(cgImage.height) / scale))
    }

    public var cgImage: CGImage? { pixels }
    public var scale: CGFloat { 1 }
    public var imageOrientation: Orientation { .up }
    public static func animatedImage(with images: [NSImage], duration: TimeInterval) -> NSImage? { images.first }
  }
#endif
