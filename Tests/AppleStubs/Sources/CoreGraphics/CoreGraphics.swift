@_exported import Foundation

public typealias CFData = NSData
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject

public final class CGDataProvider: @unchecked Sendable {
  public init?(data: CFData) {}
}

public class CGColorSpace: @unchecked Sendable {
  public init?(name: CFString) {}
  public init?(iccData: CFTypeRef) {}
  public static var sRGB: CFString { fatalError() }
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static var byteOrder32Big: CGBitmapInfo { .init(rawValue: 4 << 12) }
  public static var byteOrder32Little: CGBitmapInfo { .init(rawValue: 2 << 12) }
}

public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public final class CGImage: @unchecked Sendable {
  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {}
}

public final class CGContext {
  public func draw(_ image: CGImage, in rectangle: CGRect) {}
}
